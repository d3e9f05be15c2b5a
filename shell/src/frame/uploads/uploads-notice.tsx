import { lazySection } from '@alpenglow/ui';
import { reportShellError } from '../../reports/send-report.ts';
import { useBackgroundUploads } from './background-uploads.ts';

// Few visits have uploads, so the code is loaded when they continue in the background.
const FormUploads = lazySection(() => import('./form-uploads.tsx'), null, { report: reportShellError });

/** Shows on every page the progress of uploads that continue after the visitor has left their form. */
export function UploadsNotice() {
  const shown = useBackgroundUploads();
  return [...shown].map(([form, uploads]) => <FormUploads key={form} uploads={uploads} />);
}
