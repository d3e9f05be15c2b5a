import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Badge, DataTable, Page, QueryView, useApi, useLocale } from '@alpenglow/ui';
import { formatPosition } from '../panel/format-position.ts';
import { PageIntro } from '../panel/page-intro.tsx';
import { formatProjectionName } from '../panel/part-names.ts';
import { TechnicalDetails } from '../panel/technical-details.tsx';
import { projectionsQuery } from './api.ts';
import { DifferencesDialog } from './differences-dialog.tsx';
import { ParkedDialog } from './parked-dialog.tsx';
import { ParkedButton, ProjectionButtons } from './projection-buttons.tsx';
import { RebuildState } from './rebuild-state.tsx';
import { useText } from '../text.ts';
import { useProjectionActions } from './use-projection-actions.tsx';
import styles from './projections-page.module.css';

/** The page `/admin/projections`. It shows the state of the read models, their rebuilds and their parked events. */
export default function ProjectionsPage() {
  const t = useText();
  const locale = useLocale();
  const list = useQuery(projectionsQuery(useApi()));
  const { isBusy, start, dialog } = useProjectionActions(list.data?.data ?? []);
  /**
   * `differing` is the name of the projection whose differences are shown in a dialog. `parked` is the name of the
   * projection whose parked events are shown in a dialog.
   */
  const [differing, setDiffering] = useState<string | null>(null);
  const [parked, setParked] = useState<string | null>(null);
  return (
    <Page>
      <PageIntro title={t('nav.projections')}>{t('replay.text')}</PageIntro>
      <QueryView query={list} failedText={t('replay.listFailed')} loadingHeight="24rem" isPolled>
        {({ data }) => (
          <DataTable
            label={t('nav.projections')}
            className={styles['projections']}
            rows={data}
            getKey={({ name }) => name}
            columns={[
              {
                head: t('replay.name'),
                cell: ({ name, version, position }) => (
                  <>
                    {formatProjectionName(t, name)}
                    <TechnicalDetails>
                      <code>{name}</code> · {t('replay.version', { version, position: formatPosition(position) })}
                    </TechnicalDetails>
                  </>
                ),
              },
              {
                head: t('replay.state'),
                className: styles['rebuild'],
                cell: (projection) => (
                  <>
                    <RebuildState projection={projection} onShowDifferences={() => setDiffering(projection.name)} />
                    <ProjectionButtons projection={projection} isBusy={isBusy} onAction={start} />
                  </>
                ),
              },
              {
                head: t('replay.parked'),
                cell: (projection) => (
                  <ParkedButton projection={projection} onShow={() => setParked(projection.name)} />
                ),
              },
              {
                head: t('replay.lag'),
                cell: ({ lag, hasLostEvents }) =>
                  hasLostEvents ? (
                    <Badge tone="danger">{t('replay.lostEvents')}</Badge>
                  ) : (
                    t('replay.lagUnit', { count: lag })
                  ),
              },
              {
                head: t('replay.rows'),
                cell: ({ rows, rowsAreEstimated }) =>
                  rowsAreEstimated ? t('replay.aboutRows', { count: rows }) : rows.toLocaleString(locale),
              },
            ]}
          />
        )}
      </QueryView>
      {differing !== null && <DifferencesDialog name={differing} onClose={() => setDiffering(null)} />}
      {parked !== null && <ParkedDialog name={parked} onClose={() => setParked(null)} />}
      {dialog}
    </Page>
  );
}
