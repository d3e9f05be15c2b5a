import { useInfiniteQuery } from '@tanstack/react-query';
import { EmptyState, LinkRows, Page, PagedList, useApi } from '@alpenglow/ui';
import { ChoiceLinks, useChoice } from '../panel/choice-links.tsx';
import { PageIntro } from '../panel/page-intro.tsx';
import { casesQuery, QUEUES, type Queue } from './api.ts';
import { CaseRow } from './case-row.tsx';
import { useText } from '../text.ts';
import styles from './queue-page.module.css';

/** The page `/admin/moderation`, which shows the queues of open and decided moderation cases. */
export default function QueuePage() {
  const t = useText();
  const queue = useChoice('state', QUEUES, 'open');
  const list = useInfiniteQuery(casesQuery(useApi(), queue));
  const counts = list.data?.pages[0]?.counts;
  const labelOf = (name: Queue) => (
    <>
      {t(`moderation.queue.${name}`)}
      {name !== 'decided' && <span className={styles['count']}>{counts?.[name]}</span>}
    </>
  );
  return (
    <Page>
      <PageIntro title={t('nav.moderation')}>{t('moderation.lead')}</PageIntro>
      <ChoiceLinks
        label={t('moderation.queues')}
        path="/admin/moderation"
        parameter="state"
        choices={QUEUES}
        selected={queue}
        labelOf={labelOf}
      />
      <PagedList
        list={list}
        failedText={t('moderation.listFailed')}
        empty={
          <EmptyState title={t(`moderation.empty.${queue}`)}>
            <p>{t('moderation.emptyText')}</p>
          </EmptyState>
        }
        moreText={t('moderation.more')}
      >
        {(cases) => (
          <LinkRows>
            {cases.map((card) => (
              <CaseRow key={card.id} card={card} />
            ))}
          </LinkRows>
        )}
      </PagedList>
    </Page>
  );
}
