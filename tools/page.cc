#include "tools/page.h"

#include "absl/strings/str_cat.h"

namespace firstcall {
namespace {

constexpr char kHead[] = R"html(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>firstcall</title>
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
button.choice { font: inherit; color: inherit; background: var(--card); cursor: pointer;
  border: 1px solid var(--line); border-radius: .4rem; padding: .2rem .7rem; margin: 0 .4rem .5rem 0; }
button.choice[aria-pressed=true] { border-color: var(--split); color: var(--split); }
input { width: 100%; max-width: 24rem; padding: .4rem .6rem; margin: .3rem 0; font: inherit;
  color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: .4rem; }
</style>

</head>
<body>
)html";

constexpr char kData[] = R"html(<script id="data" type="application/json">)html";

constexpr char kScript[] = R"html(</script>
<script>
'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const ms = n => n < 10000 ? n.toFixed(n < 10 ? 2 : 1) + ' ms' : (n / 1000).toFixed(1) + ' s';
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
const short = text => text.length > 120 ? text.slice(0, 80) + '\u2026' + text.slice(-39) : text;

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
        const text = format ? format(row[field]) : String(row[field]);
        const isName = field === 'name' || field === 'caller';
        const cell = add(line, 'td', {class: isNumber(field) ? 'number' : isName ? 'name' : ''},
          isName ? short(text) : text);
        if (isName && short(text) !== text) cell.title = text;
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
)html";

constexpr char kEnd[] = R"html(
document.body.dataset.ready = 'yes';
</script>
</body>
</html>
)html";

}  // namespace

std::string Page(const PageParts& parts) {
  return absl::StrCat(kHead, parts.body, kData, parts.data, kScript, parts.script, kEnd);
}

}  // namespace firstcall
