import { useMemo, useState, type ComponentType, type ReactNode } from 'react';
import { useOptionalHost } from '../host/host-context.tsx';
import { useUiText } from '../i18n/text.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { lazyPart } from './lazy-part.tsx';
import { loadWithTexts, useCodeErrorReport } from './load-code.ts';
import { isLoadFailure } from './load-failure.ts';
import { ErrorBox } from './state-box.tsx';

export interface LazySectionOptions<Props> {
  /** The name of the chunk that `load` imports, for sections that the server renders. */
  readonly chunk?: string;
  /** Is shown instead of a section that fails. By default, it is a message with a button that loads it again. */
  readonly instead?: ComponentType<Props>;
  /** Reports that the code of the section has thrown. By default, the host reports it. */
  readonly report?: () => void;
}

/**
 * Creates a section of a page whose code is loaded when the section is first shown. If the section fails, the rest of
 * the page works. A failure of its code is in the console and is reported. Files that cannot be loaded are reported
 * where they are requested.
 * @param loading what is shown meanwhile. It may depend on the properties of the section.
 */
export function lazySection<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
  loading: ReactNode | ((props: Props) => ReactNode),
  { chunk, instead: Instead, report }: LazySectionOptions<Props> = {},
): ComponentType<Props> {
  const start = () => loadWithTexts(load);
  let Loaded = lazyPart(start, loading, chunk);
  return function LazySection(props: Props) {
    const host = useOptionalHost();
    const reportCodeError = useCodeErrorReport(report);
    const [attempt, setAttempt] = useState(0);
    // oxlint-disable-next-line react/exhaustive-deps -- each attempt uses the component that the attempt has loaded
    const Current = useMemo(() => Loaded, [attempt]);
    const retry = () => {
      start().then(
        (section) => {
          Loaded = lazyPart(() => Promise.resolve(section), loading);
          setAttempt((number) => number + 1);
        },
        // The message stays.
        reportCodeError,
      );
    };
    return (
      <ErrorBoundary
        resetKeys={[attempt]}
        fallback={() => (Instead ? <Instead {...props} /> : <SectionFailure onRetry={retry} />)}
        onError={(error) => {
          // `React.lazy` stores a rejection, so the section is loaded again when it is shown on the next page.
          Loaded = lazyPart(start, loading);
          if (!isLoadFailure(error)) (report ?? host?.reportPageError)?.();
        }}
      >
        <Current {...props} />
      </ErrorBoundary>
    );
  };
}

function SectionFailure({ onRetry }: { readonly onRetry: () => void }) {
  const t = useUiText();
  return <ErrorBox message={t('common.partFailed')} onRetry={onRetry} />;
}
