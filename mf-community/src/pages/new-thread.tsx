import { Breadcrumbs, lazyPage, Page, PageHeading, Skeleton, useLocale } from '@alpenglow/ui';
import { getBreadcrumbs, type Place } from '../places.ts';
import { useText } from '../text.ts';
import { NewThreadPlace } from '../write/new-thread-place.ts';
import { VerifiedOnly } from '../write/verified-only.tsx';
import styles from './pages.module.css';

// The form and its validation rules are loaded when the form is opened.
const Form = lazyPage(() => import('../write/new-thread.tsx'), <Skeleton height="20rem" />);

/** The page that `?new=1` opens on any list of threads. `place` is the place of the list, or null for all places. */
export function NewThreadPage({ place }: { readonly place: Place | null }) {
  const t = useText();
  const locale = useLocale();
  const title = t('community.startThread');
  return (
    <Page>
      <Breadcrumbs
        fromHome
        items={[
          { label: t('community'), to: '/community' },
          ...(place ? getBreadcrumbs(place, locale) : []),
          { label: title },
        ]}
      />
      <header className={styles['head']}>
        <PageHeading documentTitle={title}>{title}</PageHeading>
      </header>
      <VerifiedOnly>
        <NewThreadPlace value={place}>
          <Form />
        </NewThreadPlace>
      </VerifiedOnly>
    </Page>
  );
}
