import { EmptyState } from '@alpenglow/ui';
import { useText } from './text.ts';

/** The content that a client sees on a page for providers. */
export function ProvidersOnly() {
  const t = useText();
  return (
    <EmptyState title={t('providersOnlyTitle')} link={{ to: '/listings', text: t('common.browse') }}>
      <p>{t('providersOnlyText')}</p>
    </EmptyState>
  );
}
