import { useUiText } from '../i18n/text.tsx';
import { ErrorBox } from './state-box.tsx';

interface CrashedBoxProps {
  /** The text about the error, from `Host.describeError`. */
  readonly detail: string | undefined;
  readonly onRetry: () => void;
}

/** The content of the error screen of a page whose code has thrown an error while rendering. */
export function CrashedBox({ detail, onRetry }: CrashedBoxProps) {
  const t = useUiText();
  return (
    <ErrorBox message={t('common.pageCrashed')} onRetry={onRetry}>
      {detail}
      <br />
      {t('common.pageCrashedHint')}
    </ErrorBox>
  );
}
