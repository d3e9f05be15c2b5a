import { createHash } from 'node:crypto';
import { LOCAL_KEYS, TAB_KEYS } from '@alpenglow/ui/stored-keys';
import { NEUTRAL_SITE } from '../../src/exit/neutral-site.ts';

/**
 * A script in the `<head>` of every page. It runs before the browser shows the page. It reads the visitor's consents
 * from the browser's storage, and sets the attribute `data-gate` of the document to the next gate that must cover the
 * page. If the storage contains a session token, it sets `data-session`. Without scripts, no gate
 * covers the page. If Back opens the page after a quick exit, the script leaves the site again.
 */
export const GATE_SCRIPT = `
try{
if(sessionStorage.getItem('${TAB_KEYS.left}')){
if(performance.getEntriesByType('navigation')[0]?.type==='back_forward'){
document.documentElement.hidden=true;location.replace('${NEUTRAL_SITE}')
}else sessionStorage.removeItem('${TAB_KEYS.left}')
}
var s=localStorage,d=document.documentElement.dataset;
if(s.getItem('${LOCAL_KEYS.ageConfirmed}')!=='true')d.gate='age';
else if(s.getItem('${LOCAL_KEYS.guidelinesAccepted}')!=='true')d.gate='guidelines';
if(s.getItem('${LOCAL_KEYS.token}'))d.session='stored'
}catch(e){document.documentElement.dataset.gate='age'}
`.replaceAll('\n', '');

/** A script at the end of every page. It makes the page unusable until the visitor has accepted the questions. */
export const INERT_SCRIPT =
  "if(document.documentElement.dataset.gate)document.querySelector('[data-frame]')?.setAttribute('inert','')";

const toSource = (script: string) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`;

/** The sources with which the content security policy allows both scripts. */
export const SCRIPT_SOURCES = [toSource(GATE_SCRIPT), toSource(INERT_SCRIPT)] as const;
