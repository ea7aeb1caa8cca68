#include "tools/report_page.h"

#include "absl/strings/str_cat.h"

namespace firstcall {
namespace {

constexpr char kHead[] = R"html(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>firstcall: what happened</title>
<style>
:root { color-scheme: light dark; --back: #ffffff; --fore: #1b1f24; --dim: #646c76; --line: #d8dde3;
  --card: #f5f7f9; --load: #8a63d2; --split: #2f81f7; --emit: #e8762d; --link: #2da44e;
  --run: #b8c0ca; --promote: #d1416b; }
@media (prefers-color-scheme: dark) {
  :root { --back: #14171b; --fore: #e6e9ed; --dim: #98a1ab; --line: #31373e; --card: #1d2126;
    --run: #4a525b; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 70rem; background: var(--back); color: var(--fore);
  font: 15px/1.45 system-ui, sans-serif; }
h1 { font-size: 1.35rem; margin: 0; } h2 { font-size: 1.05rem; margin: 2rem 0 .5rem; }
.dim { color: var(--dim); } .number { text-align: right; font-variant-numeric: tabular-nums; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: .6rem;
  margin: 1rem 0; }
.card { background: var(--card); border-radius: .5rem; padding: .6rem .8rem; }
.card b { display: block; font-size: 1.25rem; font-variant-numeric: tabular-nums; }
.bar { display: flex; height: 2rem; border-radius: .4rem; overflow: hidden; background: var(--card); }
.bar div { min-width: 1px; }
.legend { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; margin: .5rem 0; }
.legend i { display: inline-block; width: .8rem; height: .8rem; border-radius: .2rem;
  margin-right: .4rem; vertical-align: -.05rem; }
svg { display: block; width: 100%; background: var(--card); border-radius: .4rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid var(--line); text-align: left;
  white-space: nowrap; }
td.name { white-space: normal; overflow-wrap: anywhere; min-width: 9rem; }
th button { all: unset; cursor: pointer; font-weight: 600; }
th button:focus-visible { outline: 2px solid var(--split); }
input { width: 100%; max-width: 24rem; padding: .4rem .6rem; margin: .3rem 0; font: inherit;
  color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: .4rem; }
</style>
</head>
<body>
<h1>firstcall</h1>
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
<script id="data" type="application/json">)html";

constexpr char kScript[] = R"html(</script>
<script>
'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const stats = data.stats;
const ms = n => n.toFixed(n < 10 ? 2 : 1) + ' ms';
const bytes = n => n < 10240 ? n + ' B' : n < 10485760 ? (n / 1024).toFixed(0) + ' KiB'
  : (n / 1048576).toFixed(1) + ' MiB';
function add(parent, tag, attributes, ...children) {
  const svg = ['svg', 'rect', 'path', 'text', 'title'].includes(tag);
  const element = svg ? document.createElementNS('http://www.w3.org/2000/svg', tag)
    : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) element.setAttribute(name, value);
  element.append(...children);
  parent.append(element);
  return element;
}
const at = id => document.getElementById(id);

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

// Work of other threads may overlap the run, so the rest is at least zero.
function start() {
  const parts = ['load', 'split', 'emit', 'link'].map(name => [name, stats[name]]);
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

// A table that can be sorted by each column and searched; `columns` are [title, field, format].
function table(id, rows, columns, by) {
  const place = at(id);
  if (!rows.length) return add(place, 'p', {class: 'dim'}, 'None.');
  const kMost = 300;
  const search = add(place, 'input', {type: 'search', placeholder: 'Search ' + rows.length + ' rows',
    'aria-label': 'search'});
  const element = add(add(place, 'div', {class: 'scroll'}), 'table');
  const head = add(add(element, 'thead'), 'tr');
  const body = add(element, 'tbody');
  const more = add(place, 'div', {class: 'dim'});
  let order = by, down = true;
  const isNumber = field => typeof rows[0][field] === 'number';
  function show() {
    const text = search.value.toLowerCase();
    const shown = rows.filter(row => !text || columns.some(([, field]) =>
      String(row[field]).toLowerCase().includes(text)));
    shown.sort((a, b) => (a[order] < b[order] ? -1 : a[order] > b[order] ? 1 : 0) * (down ? -1 : 1));
    body.replaceChildren();
    for (const row of shown.slice(0, kMost)) {
      const line = add(body, 'tr');
      for (const [, field, format] of columns) {
        add(line, 'td', {class: isNumber(field) ? 'number' : field === 'name' ? 'name' : ''},
          format ? format(row[field]) : String(row[field]));
      }
    }
    more.textContent = shown.length > kMost ? `${shown.length - kMost} more; search for them.` : '';
  }
  for (const [title, field] of columns) {
    const cell = add(head, 'th', {class: isNumber(field) ? 'number' : '', scope: 'col'});
    add(cell, 'button', {type: 'button'}, title).addEventListener('click', () => {
      down = order === field ? !down : isNumber(field);
      order = field;
      show();
    });
  }
  search.addEventListener('input', show);
  show();
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
document.body.dataset.ready = 'yes';
</script>
</body>
</html>
)html";

}  // namespace

std::string ReportPage(absl::string_view data) { return absl::StrCat(kHead, data, kScript); }

}  // namespace firstcall
