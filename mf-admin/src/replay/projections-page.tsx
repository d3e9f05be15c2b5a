import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { ProjectionView } from '@alpenglow/domain/contracts';
import {
  Button,
  classNames,
  ConfirmDialog,
  ErrorBox,
  messageOf,
  Page,
  PageHeading,
  useApi,
  useLocale,
} from '@alpenglow/ui';
import { Loading } from '../loading.tsx';
import { DataTable } from '../panel/data-table.tsx';
import { positionText } from '../panel/position-text.ts';
import { useText as useAdminText } from '../text.ts';
import { projectionsQuery, type ProjectionAction } from './calls.ts';
import { DifferencesDialog } from './differences-dialog.tsx';
import { ParkedDialog } from './parked-dialog.tsx';
import { RebuildState } from './rebuild-state.tsx';
import { useText } from './text.ts';
import { useReplayDeed } from './use-replay-deed.ts';
import framed from '../panel/framed-table.module.css';
import listStyles from '../panel/list.module.css';
import styles from './projections-page.module.css';

/** What is asked before it is done. */
const CONFIRMED = ['cancel', 'swap', 'revert'] as const;
type Confirmed = (typeof CONFIRMED)[number];

interface Open {
  readonly what: 'differences' | 'parked' | Confirmed;
  readonly name: string;
}

/** `/admin/projections`: how read models stand, their rebuilds, and what they have set aside. */
export default function ProjectionsPage() {
  const t = useText();
  const common = useAdminText();
  const api = useApi();
  const deed = useReplayDeed();
  const [open, setOpen] = useState<Open | null>(null);
  const list = useQuery(projectionsQuery(api));
  const projections = list.data?.data ?? [];
  const close = () => setOpen(null);
  const ask = (what: ProjectionAction, name: string) =>
    isConfirmed(what) ? setOpen({ what, name }) : deed.mutate({ what, name });
  const confirmed = open !== null && isConfirmed(open.what) ? { what: open.what, name: open.name } : null;
  const differing = projections.find(({ name }) => name === confirmed?.name)?.rebuild?.differingRows ?? 0;
  return (
    <Page>
      <header className={listStyles['head']}>
        <div>
          <PageHeading documentTitle={t('replay.title')}>{t('replay.title')}</PageHeading>
          <p className={styles['lead']}>{t('replay.text')}</p>
        </div>
      </header>
      {list.isPending && <Loading height="24rem" />}
      {list.isError && projections.length === 0 && (
        <ErrorBox message={messageOf(list.error, t('replay.listFailed'))} onRetry={() => void list.refetch()} />
      )}
      {projections.length > 0 && (
        <ProjectionTable projections={projections} isBusy={deed.isPending} onAsk={ask} onShow={setOpen} />
      )}
      {open?.what === 'differences' && <DifferencesDialog name={open.name} onClose={close} />}
      {open?.what === 'parked' && <ParkedDialog name={open.name} onClose={close} />}
      {confirmed && (
        <ConfirmDialog
          open
          danger={confirmed.what === 'cancel' || (confirmed.what === 'swap' && differing > 0)}
          title={`${t(`replay.${confirmed.what}`)}: ${confirmed.name}`}
          confirmLabel={t(`replay.${confirmed.what}`)}
          cancelLabel={confirmed.what === 'cancel' ? t('replay.keep') : common('common.cancel')}
          busy={deed.isPending}
          onCancel={close}
          onConfirm={() => deed.mutate(confirmed, { onSettled: close })}
        >
          {confirmed.what === 'swap' && differing > 0 && <p>{t('replay.confirm.swapDiffers', { count: differing })}</p>}
          <p>{t(`replay.confirm.${confirmed.what}`)}</p>
        </ConfirmDialog>
      )}
    </Page>
  );
}

function isConfirmed(what: string): what is Confirmed {
  return CONFIRMED.some((one) => one === what);
}

interface TableProps {
  readonly projections: readonly ProjectionView[];
  readonly isBusy: boolean;
  readonly onAsk: (what: ProjectionAction, name: string) => void;
  readonly onShow: (open: Open) => void;
}

function ProjectionTable({ projections, ...rest }: TableProps) {
  const t = useText();
  return (
    <DataTable
      label={t('replay.title')}
      columns={[t('replay.name'), t('replay.state'), t('replay.parked'), t('replay.lag'), t('replay.rows')]}
      className={classNames(framed['framed'], styles['projections'])}
    >
      {projections.map((projection) => (
        <ProjectionRow key={projection.name} projection={projection} {...rest} />
      ))}
    </DataTable>
  );
}

function ProjectionRow({
  projection,
  isBusy,
  onAsk,
  onShow,
}: Omit<TableProps, 'projections'> & { readonly projection: ProjectionView }) {
  const t = useText();
  const locale = useLocale();
  const { name, version, position, rows, rowsAreEstimated, lag, parkedEvents, waitingEvents } = projection;
  const aside = parkedEvents + waitingEvents;
  return (
    <tr>
      <th scope="row">
        {name}
        <span>{t('replay.version', { version, position: positionText(position) })}</span>
      </th>
      <td className={styles['rebuild']}>
        <RebuildState projection={projection} onShowDifferences={() => onShow({ what: 'differences', name })} />
        <div className={styles['buttons']}>
          {actionsOf(projection).map((what) => (
            <Button
              key={what}
              size="small"
              variant={what === 'cancel' ? 'danger' : what === 'swap' ? 'primary' : 'secondary'}
              disabled={isBusy}
              aria-label={`${t(`replay.${what}`)}: ${name}`}
              onClick={() => onAsk(what, name)}
            >
              {t(`replay.${what}`)}
            </Button>
          ))}
        </div>
      </td>
      <td>
        {aside === 0 ? (
          '–'
        ) : (
          <Button
            size="small"
            variant="danger"
            aria-label={t('replay.parkedOf', { name, count: aside })}
            onClick={() => onShow({ what: 'parked', name })}
          >
            {aside.toLocaleString(locale)}
          </Button>
        )}
      </td>
      <td>{t('replay.lagUnit', { count: lag })}</td>
      <td>{rowsAreEstimated ? t('replay.aboutRows', { count: rows }) : rows.toLocaleString(locale)}</td>
    </tr>
  );
}

/** What can be asked for now. */
function actionsOf({ rebuild, previous }: ProjectionView): readonly ProjectionAction[] {
  if (previous?.isReverting) return [];
  const back: readonly ProjectionAction[] = previous ? ['revert'] : [];
  switch (rebuild?.state) {
    case 'running':
    case 'checking':
      return rebuild.wish === 'cancel' ? [] : rebuild.wish === 'pause' ? ['cancel'] : ['pause', 'cancel'];
    case 'paused':
      return rebuild.wish === null ? ['resume', 'cancel'] : [];
    case 'ready':
      return rebuild.wish === null ? ['swap', 'cancel', ...back] : [];
    case 'swapping':
      return [];
    case 'swapped':
    case 'reverted':
    case 'cancelled':
    case 'failed':
    case undefined:
      return ['rebuild', ...back];
  }
}
