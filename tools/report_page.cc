#include "tools/report_page.h"

#include "tools/page.h"

namespace firstcall {
namespace {

constexpr char kBody[] = R"html(<h1>firstcall</h1>
<div id="program" class="dim"></div>
<div id="cards" class="cards"></div>
<h2>Where the time went</h2>
<div id="start"></div>
<h2>First calls</h2>
<div class="dim">Each bar is a call that waited for its function's code.</div>
<div id="calls"></div>
<h2>Memory</h2>
<div id="memory"></div>
<h2>Functions with code</h2>
<div id="functions"></div>
<h2>Promotions</h2>
<div id="promotions"></div>
<h2>Never compiled</h2>
<div id="unused"></div>
<h2>Failures</h2>
<div id="failures"></div>
)html";

constexpr char kScript[] = R"html(
const stats = data.stats;
at('program').textContent = data.modules.map(m => m.name).join(', ') + ' \u2013 ran for '
  + ms(data.total);
for (const [label, value, key] of [
  ['functions known', stats.functions_known, 'functions_known'],
  ['compiled', stats.functions_compiled, 'functions_compiled'],
  ['from the cache', stats.functions_cached, 'functions_cached'],
  ['by baseline', stats.functions_baseline, 'functions_baseline'],
  ['promotions', stats.promotions_made, 'promotions_made'],
  ['code', bytes(stats.code_bytes), 'code_bytes']]) {
  const card = add(at('cards'), 'div', {class: 'card'});
  add(card, 'b', {id: 'stat-' + key, 'data-value': stats[key]}, String(value));
  add(card, 'span', {class: 'dim'}, label);
}

// Without what threads of the engine's own did while the program ran. Threads of the program may
// wait at the same time, so the rest is at least zero.
function start() {
  const parts = ['load', 'split', 'emit', 'link'].map(
    name => [name, Math.max(0, stats[name] - (data.other_threads[name] || 0))]);
  const used = parts.reduce((sum, part) => sum + part[1], 0);
  parts.push(['run', Math.max(0, data.total - used)]);
  const whole = parts.reduce((sum, part) => sum + part[1], 0) || 1;
  const bar = add(at('start'), 'div', {class: 'bar', role: 'img', 'aria-label': 'time by part'});
  const legend = add(at('start'), 'div', {class: 'legend'});
  for (const [name, time] of parts) {
    add(bar, 'div', {style: `width:${100 * time / whole}%;background:var(--${name})`,
      title: `${name}: ${ms(time)}`});
    const item = add(legend, 'span');
    add(item, 'i', {style: `background:var(--${name})`});
    item.append(`${name} ${ms(time)} (${(100 * time / whole).toFixed(1)} %)`);
  }
  const other = Object.values(data.other_threads).reduce((sum, time) => sum + time, 0);
  if (other) {
    add(at('start'), 'div', {class: 'dim', id: 'other-threads'},
      `Meanwhile the engine's threads optimized for ${ms(other)}.`);
  }
}

function calls() {
  const list = data.calls;
  if (!list.length) return add(at('calls'), 'p', {}, 'No call had to wait.');
  const threads = [...new Set(list.map(c => c.thread))];
  const height = 24 * threads.length + 18;
  const svg = add(at('calls'), 'svg', {viewBox: `0 0 1000 ${height}`, height: height + 'px',
    preserveAspectRatio: 'none', role: 'img', 'aria-label': 'first calls over time'});
  const end = Math.max(data.total, ...list.map(c => c.start + c.time)) || 1;
  for (const call of list) {
    const rect = add(svg, 'rect', {x: 1000 * call.start / end, y: 8 + 24 * threads.indexOf(call.thread),
      width: Math.max(1, 1000 * call.time / end), height: 18, fill: 'var(--emit)', opacity: .75});
    add(rect, 'title', {}, `${call.name}: ${ms(call.time)} at ${ms(call.start)}`
      + (call.caller ? `, called by ${call.caller}` : ''));
  }
  table('calls', list, [['at', 'start', ms], ['waited', 'time', ms], ['function', 'name'],
    ['caller', 'caller'], ['thread', 'thread']], 'time');
}

function memory() {
  const list = data.memory;
  if (!list.length) return add(at('memory'), 'p', {}, 'No memory was reserved.');
  const top = Math.max(...list.map(m => m[1])) || 1;
  const end = Math.max(data.total, list[list.length - 1][0]) || 1;
  const svg = add(at('memory'), 'svg', {viewBox: '0 0 1000 120', height: '120px',
    preserveAspectRatio: 'none', role: 'img', 'aria-label': 'memory over time'});
  let path = 'M0 118';
  for (const [time, used] of list) {
    path += ` H${(1000 * time / end).toFixed(2)} V${(118 - 110 * used / top).toFixed(2)}`;
  }
  add(svg, 'path', {d: path + ' H1000 V118 Z', fill: 'var(--split)', opacity: .7});
  add(at('memory'), 'div', {class: 'dim'}, `At most ${bytes(top)} for code and data; `
    + `${bytes(stats.memory_used)} at the end, ${bytes(stats.memory_committed)} in pages.`);
}

start();
calls();
memory();
table('functions', data.functions, [['function', 'name'], ['tier', 'tier'], ['by', 'by'],
  ['reason', 'reason'], ['at', 'start', ms], ['took', 'time', ms], ['bytes', 'size'],
  ['module', 'module']], 'time');
table('promotions', data.promotions, [['function', 'name'], ['at', 'start', ms],
  ['took', 'time', ms], ['what', 'what'], ['first bytes', 'before'], ['new bytes', 'size'],
  ['first body at', 'first', ms]], 'start');
table('unused', data.unused, [['function', 'name'], ['module', 'module']], 'name');
table('failures', data.failures, [['function', 'name'], ['at', 'start', ms], ['why', 'why']],
  'start');
)html";

}  // namespace

std::string ReportPage(absl::string_view data) { return Page({kBody, data, kScript}); }

}  // namespace firstcall
