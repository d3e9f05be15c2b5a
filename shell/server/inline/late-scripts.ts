/**
 * Loads the scripts of a server-rendered page after its first paint, so that they do not compete with the style sheets,
 * pictures and fonts that the visitor sees first. A hidden page is not painted, so its scripts load at once. It is a
 * function of an inline script, so it uses only its parameters (inline-scripts.ts).
 * @param templateId the id of the `<template>` that contains the scripts and their preloads
 * @param maxWait_ms the longest wait for the paint
 */
export function loadLateScripts(templateId: string, maxWait_ms: number): void {
  const load = () => {
    const template = document.getElementById(templateId);
    if (!(template instanceof HTMLTemplateElement)) return;
    template.remove();
    document.head.append(template.content);
  };
  if (document.hidden) {
    load();
    return;
  }
  new PerformanceObserver(load).observe({ type: 'paint', buffered: true });
  setTimeout(load, maxWait_ms);
}
