#include "tools/bench_page.h"

#include "tools/page.h"

namespace firstcall {
namespace {

constexpr char kBody[] = R"html(<style>
.plot { background: var(--card); border-radius: .5rem; padding: .8rem 1rem .4rem; }
.row { display: grid; grid-template-columns: 11.5rem 1fr 7rem; gap: 0 .8rem; align-items: center;
  min-height: 2.1rem; }
.track { position: relative; height: 1.7rem; border-left: 1px solid var(--line); }
.track i { position: absolute; }
.fill { left: 0; top: .25rem; height: 1.2rem; border-radius: 0 .3rem .3rem 0; opacity: .3; }
.range { top: .25rem; height: 1.2rem; min-width: 2px; border-radius: .2rem; opacity: .45; }
.middle { top: .1rem; height: 1.5rem; width: 3px; margin-left: -1.5px; border-radius: 2px; }
.run { top: .68rem; width: .35rem; height: .35rem; margin-left: -.17rem; border-radius: 50%;
  background: var(--fore); opacity: .55; }
.ticks { position: relative; height: 1.4rem; color: var(--dim); font-size: .8rem; }
.ticks span { position: absolute; transform: translateX(-50%); white-space: nowrap; }
.ticks span.first { transform: none; }
.ticks span.last { transform: translateX(-100%); }
@media (max-width: 40rem) {
  .row { grid-template-columns: 1fr auto; padding-top: .3rem; }
  .row .track, .row .ticks { grid-column: 1 / 3; grid-row: 2; }
  .row .label { font-size: .9rem; }
}
</style>
<h1>firstcall bench</h1>
<div id="program" class="dim"></div>
<div id="cards" class="cards"></div>
<div id="faults"></div>
<h2>Time of a whole run</h2>
<div id="wall"></div>
<h2>Peak memory</h2>
<div id="peak"></div>
<h2>All figures</h2>
<div id="figures"></div>
<h2>How it was measured</h2>
<div id="method"></div>
)html";

constexpr char kScript[] = R"html(
const mib = n => n.toFixed(1) + ' MiB';
const measured = data.contestants.filter(c => c.wall_ms);
const find = name => measured.find(c => c.name === name);
const color = name => name.startsWith('firstcall, first') ? 'var(--emit)'
  : name.startsWith('firstcall') ? 'var(--link)' : name.startsWith('lli') ? 'var(--split)'
  : 'var(--load)';

at('program').textContent = [data.program, ...data.arguments].join(' ') + ' \u2013 '
  + data.machine.cpu + ', ' + data.machine.cores + ' cores';

function card(value, label) {
  const element = add(at('cards'), 'div', {class: 'card'});
  add(element, 'b', {}, value);
  add(element, 'span', {class: 'dim'}, label);
}
const first = find('firstcall, first start'), second = find('firstcall, second start');
if (first) card(ms(first.wall_ms.median), 'first start');
if (second) card(ms(second.wall_ms.median), 'second start');
const right = measured.filter(c => !c.fault);
const quickest = right.filter(c => c.name.startsWith('lli'))
  .sort((a, b) => a.wall_ms.median - b.wall_ms.median)[0];
if (quickest) card(ms(quickest.wall_ms.median), 'quickest: ' + quickest.name);
const native = find('executable');
if (native) card(ms(native.wall_ms.median), 'executable');
if (first) card(mib(first.peak_mib.median), 'peak memory, first start');

for (const c of data.contestants) {
  const problem = c.skipped || c.fault;
  if (problem) {
    add(at('faults'), 'p', {}, c.name + ': ' + problem + (c.message ? ' (' + c.message + ')' : ''));
  }
}

// Round numbers between 0 or `least` and `most`.
function ticks(least, most, logarithmic) {
  const list = [];
  if (logarithmic) {
    for (let power = Math.floor(Math.log10(least)); power <= Math.log10(most); ++power) {
      for (const digit of most / least > 300 ? [1] : [1, 3]) {
        const value = digit * 10 ** power;
        if (value >= least && value <= most) list.push(value);
      }
    }
    return list;
  }
  const step = 10 ** Math.floor(Math.log10(most / 2));
  const wide = [1, 2, 5].map(f => f * step).find(s => most / s <= 5) || 10 * step;
  for (let value = 0; value <= most; value += wide) list.push(value);
  return list;
}

// A row for each contestant: its runs as dots, the interval of the median, and the median.
function plot(id, field, format) {
  const place = at(id);
  if (!measured.length) return add(place, 'p', {}, 'Nothing was measured.');
  const all = measured.flatMap(c => c.samples.map(s => s[field])).filter(v => v > 0);
  const most = Math.max(...all) * 1.05, least = Math.min(...all) / 1.3;
  let logarithmic = most / least > 20;
  const choice = add(place, 'div');
  const box = add(place, 'div', {class: 'plot'});
  function show() {
    box.replaceChildren();
    const left = value => Math.max(0, 100 * (logarithmic
      ? Math.log(value / least) / Math.log(most / least) : value / most));
    for (const c of measured) {
      const figure = c[field], row = add(box, 'div', {class: 'row'});
      add(row, 'span', {class: 'label'}, c.name);
      const track = add(row, 'div', {class: 'track'});
      const paint = 'background:' + color(c.name) + ';';
      if (!logarithmic) {
        add(track, 'i', {class: 'fill', style: paint + `width:${left(figure.median)}%`});
      }
      if (figure.low !== null) {
        const from = left(figure.low);
        add(track, 'i', {class: 'range', style: paint + `left:${from}%;`
          + `width:${left(figure.high) - from}%`});
      }
      c.samples.forEach((sample, i) => add(track, 'i', {class: 'run',
        style: `left:${left(sample[field])}%`, title: `run ${i + 1}: ${format(sample[field])}`
          + (sample.fault ? ', ' + sample.fault : '')}));
      add(track, 'i', {class: 'middle', style: paint + `left:${left(figure.median)}%`});
      add(row, 'b', {class: 'number', 'data-contestant': c.name, 'data-figure': field,
        'data-value': figure.median}, format(figure.median));
    }
    const row = add(box, 'div', {class: 'row'});
    add(row, 'span');
    const scale = add(row, 'div', {class: 'ticks'});
    for (const value of ticks(least, most, logarithmic)) {
      const side = left(value) < 3 ? 'first' : left(value) > 96 ? 'last' : '';
      add(scale, 'span', {class: side, style: `left:${left(value)}%`},
        String(Number(value.toPrecision(3))));
    }
  }
  for (const [name, value] of [['linear', false], ['logarithmic', true]]) {
    const button = add(choice, 'button', {type: 'button', class: 'choice',
      'aria-pressed': logarithmic === value}, name);
    button.addEventListener('click', () => {
      logarithmic = value;
      for (const other of choice.children) {
        other.setAttribute('aria-pressed', other === button);
      }
      show();
    });
  }
  show();
}

const interval = figure => figure.low === null ? '\u2013'
  : `${figure.low.toFixed(1)} to ${figure.high.toFixed(1)}`;
plot('wall', 'wall_ms', ms);
plot('peak', 'peak_mib', mib);
table('figures', measured.map(c => ({name: c.name, wall: c.wall_ms.median,
  interval: interval(c.wall_ms), cpu: c.cpu_ms.median, peak: c.peak_mib.median,
  memory: interval(c.peak_mib), ratio: c.ratio === null ? '\u2013' : c.ratio.toFixed(2),
  runs: c.runs, fault: c.fault})),
  [['contestant', 'name'], ['wall', 'wall', ms], ['95 %, ms', 'interval'], ['CPU', 'cpu', ms],
  ['peak', 'peak', mib], ['95 %, MiB', 'memory'], ['ratio', 'ratio'], ['runs', 'runs'],
  ['fault', 'fault']], 'wall');
for (const text of [data.method,
  'Contestants run in turns. The first start has an empty cache, and each second start the cache '
    + 'that one first start has left. The ratio is that of wall times, to the first start.',
  `A peak of ${mib(data.least_peak_mib)} or less cannot be told from that of the measuring process.`,
  `Machine: ${data.machine.cpu}, ${data.machine.cores} cores, ${data.machine.kernel}, load `
    + `${data.machine.load} before. firstcall: ${data.firstcall}. lli: ${data.lli || 'none'}.`,
  ...(data.exit_status ? [`The program's exit status is ${data.exit_status}.`] : [])]) {
  add(at('method'), 'p', {class: 'dim'}, text);
}
)html";

}  // namespace

std::string BenchPage(absl::string_view data) { return Page({kBody, data, kScript}); }

}  // namespace firstcall
