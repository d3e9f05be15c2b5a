/** Style sheet of the API documents, with the colors of the site and layouts for small and large screens. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --background: light-dark(#fbf9f7, #14131c); --surface: light-dark(#ffffff, #1f1d2b);
  --text: light-dark(#1d1b26, #f3f0f5); --muted: light-dark(#5c5868, #a9a3b5); --line: light-dark(#e6e1dc, #322e42);
  --accent: light-dark(#a8325f, #ff9db8); --success: light-dark(#1b6e4a, #7ddcae);
}
* { box-sizing: border-box }
body {
  margin: 0; background: var(--background); color: var(--text);
  font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere
}
a { color: var(--accent) }
a:focus-visible, summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
code, pre, dt, summary span, summary b { font: 13px/1.5 ui-monospace, Menlo, Consolas, monospace }
pre { overflow-x: auto }
h2 { margin-top: 2.5rem }
h3, h4 { font-size: 15px; margin: .25rem 0 }
p { margin: .5rem 0; max-width: 66ch }
.skip { position: absolute; left: -100vw }
.skip:focus { left: 1rem }
.frame { max-width: 72rem; margin: 0 auto; padding: 1.5rem 1rem 4rem }
nav ul { list-style: none; margin: 0 0 1rem; padding: 0 }
nav a { display: block; padding: .3rem 0; color: var(--text); text-decoration: none; font-size: 13.5px }
main details { background: var(--surface); border: 1px solid var(--line); border-radius: 12px; margin: .75rem 0 }
main details > * { margin-left: 1rem; margin-right: 1rem }
summary { cursor: pointer; padding: .75rem 0; min-height: 2.75rem }
summary b { display: inline-block; min-width: 4.2em; color: var(--success) }
summary .delete, summary .post, summary .put, summary .patch { color: var(--accent) }
.muted, i { color: var(--muted) }
i { font-family: system-ui, sans-serif }
dl { margin: .25rem 1rem 1rem }
dt { padding-top: .4rem; border-top: 1px solid var(--line) }
dd { margin: 0 0 .4rem 1rem }
@media (width >= 60rem) {
  .frame { display: grid; grid-template-columns: 16rem minmax(0, 1fr); gap: 3rem }
  nav { position: sticky; top: 1rem; align-self: start; max-height: calc(100vh - 2rem); overflow-y: auto }
}
`;
