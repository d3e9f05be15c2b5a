/** Style sheet of the API documents, with the colors of the site and layouts for small and large screens. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --background: light-dark(#fbf9f7, #14131c); --surface: light-dark(#ffffff, #1f1d2b);
  --quiet: light-dark(#f3efeb, #282536);
  --text: light-dark(#1d1b26, #f3f0f5); --muted: light-dark(#5c5868, #a9a3b5); --line: light-dark(#e6e1dc, #322e42);
  --accent: light-dark(#a8325f, #ff9db8);
  --success: light-dark(#1b6e4a, #7ddcae); --danger: light-dark(#b3261e, #ff9e94);
}
* { box-sizing: border-box }
html { scroll-padding-top: 1rem }
body {
  margin: 0; background: var(--background); color: var(--text);
  font: 15px/1.55 system-ui, sans-serif; overflow-wrap: break-word
}
a { color: var(--accent) }
a:focus-visible, summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px }
code, pre { font: 13px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }
code { background: var(--quiet); border-radius: 4px; padding: .1em .3em; overflow-wrap: anywhere }
pre { background: var(--quiet); border-radius: 6px; padding: .75rem; overflow-x: auto; margin: .5rem 0 }
pre code { background: none; padding: 0 }
h1 { font-size: 26px; line-height: 1.2; margin: 0 0 .5rem }
h2 { font-size: 20px; margin: 2.5rem 0 .25rem }
h3 { font-size: 15px; margin: 0; font-weight: 600 }
h4 { font-size: 13px; margin: 1.25rem 0 .25rem; color: var(--muted) }
p { margin: .5rem 0; max-width: 66ch }
.skip { position: absolute; left: -100vw }
.skip:focus { left: 1rem; top: 1rem; background: var(--surface); padding: .5rem 1rem; z-index: 1 }
.frame { max-width: 72rem; margin: 0 auto; padding: 1.5rem 1rem 4rem }
nav ul { list-style: none; margin: 0; padding: 0 }
nav a { display: block; padding: .3rem 0; color: var(--text); text-decoration: none; font-size: 13.5px }
nav a:hover { color: var(--accent); text-decoration: underline }
nav strong { display: block; margin: 1rem 0 .25rem; font-size: 13px; color: var(--muted) }
main details {
  background: var(--surface); border: 1px solid var(--line); border-radius: 12px; margin: .75rem 0; padding: 0 1rem
}
main details[open] { padding-bottom: 1rem }
summary { cursor: pointer; padding: .75rem 1rem; min-height: 2.75rem }
.index summary { padding: .75rem 0 }
main summary { margin: 0 -1rem }
main [open] > summary { border-bottom: 1px solid var(--line) }
summary h3 { margin-top: .15rem }
summary b { display: inline-block; min-width: 4.2em; font: 600 12px ui-monospace, monospace; color: var(--success) }
summary .delete { color: var(--danger) }
summary .post, summary .put, summary .patch { color: var(--accent) }
summary span { font: 600 13.5px ui-monospace, SFMono-Regular, Menlo, monospace; overflow-wrap: anywhere }
.muted, i { color: var(--muted) }
i { font: 13px/1.5 system-ui, sans-serif }
dl { margin: .25rem 0; font-size: 14px }
dt { padding-top: .4rem; border-top: 1px solid var(--line); font: 13px/1.5 ui-monospace, Menlo, Consolas, monospace }
dt:first-child { border-top: 0 }
dd { margin: 0 0 .4rem 1rem; overflow-wrap: anywhere }
dd p { margin: .15rem 0 }
@media (width >= 60rem) {
  .frame { display: grid; grid-template-columns: 16rem minmax(0, 1fr); gap: 3rem; padding-top: 2.5rem }
  nav { position: sticky; top: 1rem; align-self: start; max-height: calc(100vh - 2rem); overflow-y: auto }
}
@media print { nav { display: none } }
`;
