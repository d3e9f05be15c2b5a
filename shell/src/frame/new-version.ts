import { loadLocale } from '@alpenglow/ui';
import { currentLocale } from '../locale/locale.ts';
import { t } from '../pages/text.ts';
import { getShellHash } from '../reports/send-report.ts';
import { findNewVersion } from './find-new-version.ts';
import styles from './new-version.module.css';

const REGISTRY_URL = '/mf/registry.json';
/** The time between two checks of a tab. */
const CHECK_INTERVAL_ms = 30 * 60_000;

async function readVersion(): Promise<string | undefined> {
  const response = await fetch(REGISTRY_URL);
  const { shell } = (await response.json()) as { readonly shell?: string };
  return shell;
}

let checked_ms = -Infinity;

/**
 * Offers a reload if the site has another version of the shell than this tab, after some minutes. The page is not
 * reloaded without the visitor, who may have begun something. The offer is outside of what React controls.
 */
export async function offerReload(): Promise<void> {
  if (document.hidden || Date.now() - checked_ms < CHECK_INTERVAL_ms) return;
  checked_ms = Date.now();
  const wait = (time_ms: number) => new Promise<void>((resolve) => setTimeout(resolve, time_ms));
  if (!(await findNewVersion({ own: getShellHash(), read: readVersion, wait }))) return;
  await loadLocale(currentLocale()).catch(() => undefined);
  if (document.querySelector(`.${styles['notice'] ?? ''}`)) return;
  const notice = document.createElement('div');
  notice.className = styles['notice'] ?? '';
  notice.setAttribute('role', 'status');
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = t('newVersion.reload');
  button.addEventListener('click', () => location.reload());
  notice.append(`${t('newVersion.text')} `, button);
  document.body.append(notice);
}
