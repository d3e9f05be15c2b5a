import { createContext, use, useCallback, useState, type ComponentType, type ReactNode } from 'react';
import { useHost } from '../host/host-context.tsx';
import { i18n, loadLocale } from '../i18n/i18n.ts';
import type { Locale } from '../i18n/locales.ts';
import { useUiText } from '../i18n/text.tsx';
import type { ReportDialogProps, ReportSubject } from './report-dialog.tsx';

const ReportContext = createContext<((subject: ReportSubject) => void) | null>(null);

interface Opened {
  readonly Dialog: ComponentType<ReportDialogProps>;
  readonly subject: ReportSubject;
}

/**
 * Stands around the pages of a remote and shows the dialog in which something is reported, fetched with the first report. It is here and not on the
 * page: what is reported for a serious reason is gone from its page at once, and the number of the report is still to be read.
 */
export function ReportProvider({ children }: { readonly children: ReactNode }) {
  const t = useUiText();
  const { notify } = useHost();
  const [opened, setOpened] = useState<Opened | null>(null);
  const open = useCallback(
    async function open(subject: ReportSubject): Promise<void> {
      try {
        const { ReportDialog } = await import(/* webpackChunkName: "report" */ './report-dialog.tsx');
        await loadLocale(i18n.locale as Locale).catch(() => undefined);
        setOpened({ Dialog: ReportDialog, subject });
      } catch {
        notify({
          text: t('common.pageFailed'),
          tone: 'danger',
          action: { label: t('common.retry'), run: () => void open(subject) },
        });
      }
    },
    [notify, t],
  );
  const report = useCallback((subject: ReportSubject) => void open(subject), [open]);
  return (
    <ReportContext value={report}>
      {children}
      {opened !== null && <opened.Dialog subject={opened.subject} onClose={() => setOpened(null)} />}
    </ReportContext>
  );
}

/** Opens the dialog about something, as `POST /reports` names it. */
export function useReport(): (subject: ReportSubject) => void {
  const report = use(ReportContext);
  if (!report) throw new Error('useReport needs a ReportProvider above it');
  return report;
}
