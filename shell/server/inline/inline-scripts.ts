import { LOCAL_KEYS, TAB_KEYS } from '@alpenglow/ui/stored-keys';
import { digestOf } from '../../build/digests.mjs';
import { NEUTRAL_SITE } from '../../src/exit/neutral-site.ts';
import { SCRIPTED_FORM } from '../../src/hydration/early-presses.ts';
import { recordEarlyPresses } from './early-presses.ts';
import { disablePageBelowGate, setFirstState } from './first-state.ts';
import { markScripts } from './mark-scripts.ts';
import { loadLateScripts } from './late-scripts.ts';
import { createEscapeCounter, watchQuickExit } from './quick-exit.ts';

/** The longest time for which a page without a paint waits before it loads its scripts. */
const MAX_WAIT_FOR_PAINT_ms = 3_000;

const { ageConfirmed, guidelinesAccepted, cookieConsent, token } = LOCAL_KEYS;

type Argument = string | number | object | ((...args: never) => unknown);

/**
 * Returns JavaScript that calls a function with these arguments. The text of the function becomes part of the page, so
 * the function must not use imports or variables of its module.
 */
function toCall<Arguments extends readonly Argument[]>(call: (...args: Arguments) => void, ...args: Arguments): string {
  const texts = args.map((value) => (typeof value === 'function' ? String(value) : JSON.stringify(value)));
  return `(${String(call)})(${texts.join(',')});`.replaceAll(/^\s*\/\/.*\n|^\s+/gmu, '');
}

/** The id of the `<template>` that contains the scripts of a page, and their preloads. */
export const SCRIPTS_ID = 'scripts';

/** The first script of every page. */
export const FIRST_SCRIPT = toCall(markScripts, `dialog, [data-needs-scripts], button[type="button"], .first-screen`);

/** The second script in the `<head>` of every page. It runs before the browser shows the page. */
export const HEAD_SCRIPT =
  toCall(setFirstState, { ageConfirmed, guidelinesAccepted, cookieConsent, token }, TAB_KEYS.left, NEUTRAL_SITE) +
  toCall(watchQuickExit, createEscapeCounter, NEUTRAL_SITE, TAB_KEYS.left);

/** A selector of an element that only server-rendered pages contain. */
const RENDERED = '[data-rendered-at]';

/** The script at the end of every page. */
export const BODY_SCRIPT =
  toCall(disablePageBelowGate) +
  toCall(recordEarlyPresses, SCRIPTED_FORM, RENDERED) +
  toCall(loadLateScripts, SCRIPTS_ID, RENDERED, MAX_WAIT_FOR_PAINT_ms);

/** The sources with which the content security policy allows these scripts. */
export const SCRIPT_SOURCES = [FIRST_SCRIPT, HEAD_SCRIPT, BODY_SCRIPT].map((script) => `'${digestOf(script)}'`);
