import { useCallback } from 'react';
import { useOptionalHost } from '../host/host-context.tsx';
import { i18n, loadLocale } from '../i18n/i18n.ts';
import type { Locale } from '../i18n/locales.ts';
import { isLoadFailure } from './load-failure.ts';

/** Loads code with `load`, and then its texts, because its modules may add texts with `addTexts`. */
export async function loadWithTexts<Module>(load: () => Promise<Module>): Promise<Module> {
  const module = await load();
  await loadLocale(i18n.locale as Locale).catch(() => undefined);
  return module;
}

/**
 * Returns a function that reports code that has thrown while it was loaded, to the console and to the server. Files
 * that did not arrive are reported where they are requested.
 * @param reportToServer by default, that of the host
 */
export function useCodeErrorReport(reportToServer?: () => void): (error: unknown) => void {
  const host = useOptionalHost();
  const report = reportToServer ?? host?.reportPageError;
  return useCallback(
    (error) => {
      if (isLoadFailure(error)) return;
      // oxlint-disable-next-line no-console -- the developers of the front end need the error
      console.error(error);
      report?.();
    },
    [report],
  );
}
