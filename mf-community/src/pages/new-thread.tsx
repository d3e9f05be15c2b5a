import { Breadcrumbs, lazyPage, Page, PageHeading, Skeleton, useLocale } from '@alpenglow/ui';
import { breadcrumbsTo, type Place } from '../places.ts';
import { useText } from '../text.ts';
import { BegunAt } from '../write/begun-at.ts';
import { MayWrite } from '../write/may-write.tsx';
import styles from './pages.module.css';

// The form and the rules of its fields come when they are asked for.
const Form = lazyPage(() => import('../write/new-thread.tsx'), <Skeleton height="20rem" />);

/** `?new=1` on any list of threads: the form for a new one. `place` is where it was begun; null: nowhere in particular. */
export function NewThreadPage({ place }: { readonly place: Place | null }) {
  const t = useText();
  const locale = useLocale();
  const title = t('community.startThread');
  return (
    <Page>
      <Breadcrumbs
        items={[
          { label: t('common.home'), to: '/' },
          { label: t('community'), to: '/community' },
          ...(place ? breadcrumbsTo(place, locale) : []),
          { label: title },
        ]}
      />
      <header className={styles['head']}>
        <PageHeading documentTitle={title}>{title}</PageHeading>
      </header>
      <MayWrite>
        <BegunAt value={place}>
          <Form />
        </BegunAt>
      </MayWrite>
    </Page>
  );
}
