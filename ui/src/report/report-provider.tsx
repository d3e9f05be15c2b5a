import { createContext, use, useCallback, useState, type ComponentType, type ReactNode } from 'react';
import { loadWithTexts, useCodeErrorReport } from '../components/load-code.ts';
import { useHost } from '../host/host-context.tsx';
import { useUiText } from '../i18n/text.tsx';
import type { ReportDialogProps, ReportSubject } from './report-dialog.tsx';

const ReportContext = createContext<((subject: ReportSubject) => void) | null>(null);

interface OpenReport {
  readonly Dialog: ComponentType<ReportDialogProps>;
  readonly subject: ReportSubject;
}

/**
 * Renders the pages of a remote and the report dialog. The code of the dialog is loaded when it is first opened. The
 * dialog is not part of a page, because a report may immediately hide the page's content. The dialog must stay open in
 * this case, because it shows the reference number of the report.
 */
export function ReportProvider({ children }: { readonly children: ReactNode }) {
  const t = useUiText();
  const { notify } = useHost();
  const reportCodeError = useCodeErrorReport();
  const [opened, setOpened] = useState<OpenReport | null>(null);
  const open = useCallback(
    async function open(subject: ReportSubject): Promise<void> {
      try {
        const { ReportDialog } = await loadWithTexts(
          () => import(/* webpackChunkName: "report" */ './report-dialog.tsx'),
        );
        setOpened({ Dialog: ReportDialog, subject });
      } catch (error) {
        reportCodeError(error);
        notify({
          text: t('common.pageFailed'),
          tone: 'danger',
          action: { label: t('common.retry'), run: () => void open(subject) },
        });
      }
    },
    [notify, reportCodeError, t],
  );
  const report = useCallback((subject: ReportSubject) => void open(subject), [open]);
  return (
    <ReportContext value={report}>
      {children}
      {opened !== null && <opened.Dialog subject={opened.subject} onClose={() => setOpened(null)} />}
    </ReportContext>
  );
}

/** Returns a function that opens the report dialog for some content. */
export function useOpenReport(): (subject: ReportSubject) => void {
  const report = use(ReportContext);
  if (!report) throw new Error('useReport must be used within a ReportProvider');
  return report;
}
