import { lazy, Suspense } from 'react';
import { useBackgroundUploads } from './background-uploads.ts';

// Few visits have uploads, so the code is loaded when they continue in the background.
const FormUploads = lazy(() => import('./form-uploads.tsx'));

/** Shows on every page the progress of uploads that continue after the visitor has left their form. */
export function UploadsNotice() {
  const shown = useBackgroundUploads();
  return (
    shown.size > 0 && (
      <Suspense>
        {[...shown].map(([form, uploads]) => (
          <FormUploads key={form} uploads={uploads} />
        ))}
      </Suspense>
    )
  );
}
