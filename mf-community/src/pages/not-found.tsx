import { EmptyState, LinkButton, Page, PageHeading } from '@alpenglow/ui';
import { useText } from '../text.ts';

/** The page of a URL below `/community` that is neither a place nor a thread. */
export function NotFoundPage() {
  const t = useText();
  return (
    <Page>
      <EmptyState
        title={<PageHeading documentTitle={t('postUnknown')}>{t('postUnknown')}</PageHeading>}
        actions={
          <>
            <LinkButton to="/community" variant="primary">
              {t('community')}
            </LinkButton>
            <LinkButton to="/community/locations">{t('allPlaces')}</LinkButton>
          </>
        }
      >
        <p>{t('community.unknownText')}</p>
      </EmptyState>
    </Page>
  );
}
