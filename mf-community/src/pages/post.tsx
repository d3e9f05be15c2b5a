import { LinkButton } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { NotYetPage } from './not-yet.tsx';

/** A single post. There are none yet, so none can be found. */
export function PostPage() {
  const t = useText();
  return (
    <NotYetPage
      title={t('postUnknown')}
      way={[{ label: t('community'), to: '/community' }]}
      notYet={t('notYetText')}
      actions={<LinkButton to="/community/locations">{t('allPlaces')}</LinkButton>}
    />
  );
}
