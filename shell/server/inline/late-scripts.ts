/**
 * Loads the scripts of a server-rendered page after its first paint, so that they do not compete with the style sheets,
 * pictures and fonts that the visitor sees first. A hidden page is not painted, and a page that only the browser
 * renders shows nothing before, so their scripts load at once. A browser that is not supported loads none. It is a
 * function of an inline script, so it uses only its parameters (inline-scripts.ts).
 * @param templateId the id of the `<template>` that contains the scripts and their preloads
 * @param rendered a selector of an element that only server-rendered pages contain
 * @param maxWait_ms the longest wait for the paint
 */
export function loadLateScripts(templateId: string, rendered: string, maxWait_ms: number): void {
  if (document.documentElement.dataset['scripts'] !== 'on') return;
  const load = () => {
    const template = document.getElementById(templateId);
    if (!(template instanceof HTMLTemplateElement)) return;
    template.remove();
    document.head.append(template.content);
  };
  if (document.hidden || !document.querySelector(rendered)) {
    load();
    return;
  }
  new PerformanceObserver(load).observe({ type: 'paint', buffered: true });
  setTimeout(load, maxWait_ms);
}
