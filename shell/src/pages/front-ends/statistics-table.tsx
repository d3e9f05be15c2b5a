import { Badge, classNames, EmptyState, layout, useLocale } from '@alpenglow/ui';
import { VITALS, type Vital } from '@alpenglow/domain/contracts';
import { useText } from '../text.ts';
import { sortErrors, type DeploymentStatistics, type Statistics } from './front-ends.ts';
import styles from './front-end-table.module.css';

interface StatisticsTableProps {
  readonly statistics: Statistics;
  /** The hashes of the live deployments. */
  readonly live: ReadonlySet<string>;
  /** The percentage of browsers that get a deployment which is not live yet, by its hash. */
  readonly canaries: ReadonlyMap<string, number>;
}

/**
 * A table with one row per deployment: its views, the speed that three quarters of the page views reach, and the
 * errors. A canary is next to the live deployment with which it is compared.
 */
export function StatisticsTable({ statistics: { days, deployments: all }, live, canaries }: StatisticsTableProps) {
  const t = useText();
  const locale = useLocale();
  const deployments = sortByUse(all, live, canaries);
  const formatDay = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
  return (
    <section className={layout['stack1']} aria-labelledby="statistics">
      <h2 id="statistics">{t('frontEnds.statistics', { days })}</h2>
      <p className={layout['hint']}>{t('frontEnds.statisticsText')}</p>
      {deployments.length === 0 ? (
        <EmptyState title={<h3>{t('frontEnds.noStatistics')}</h3>} />
      ) : (
        <table className={styles['table']}>
          <thead>
            <tr>
              {(['name', 'version', 'views', ...VITALS, 'errors', 'lastReport'] as const).map((column) => (
                <th key={column} scope="col">
                  {t(`frontEnds.${column}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {deployments.map((deployment) => (
              <tr key={`${deployment.frontEnd} ${deployment.hash}`}>
                <th scope="row">{deployment.frontEnd}</th>
                <td data-label={t('frontEnds.version')}>
                  {deployment.hash === '' ? t('frontEnds.unknownHash') : <code>{deployment.hash}</code>}{' '}
                  {live.has(deployment.hash) && <Badge tone="success">{t('frontEnds.isLive')}</Badge>}
                  {canaries.has(deployment.hash) && (
                    <Badge>{t('frontEnds.canary', { percent: canaries.get(deployment.hash) ?? 0 })}</Badge>
                  )}
                </td>
                <td data-label={t('frontEnds.views')}>
                  <Views deployment={deployment} />
                </td>
                {VITALS.map((vital) => (
                  <td key={vital} data-label={t(`frontEnds.${vital}`)}>
                    <Speed deployment={deployment} vital={vital} />
                  </td>
                ))}
                <td data-label={t('frontEnds.errors')}>
                  <Errors deployment={deployment} />
                </td>
                <td data-label={t('frontEnds.lastReport')}>{formatDay.format(new Date(deployment.lastDay))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

/** Returns the deployments with those first that browsers get now, by front end and the canary first. */
function sortByUse(
  deployments: Statistics['deployments'],
  live: StatisticsTableProps['live'],
  canaries: StatisticsTableProps['canaries'],
): Statistics['deployments'] {
  const inUse = deployments.filter(({ hash }) => live.has(hash) || canaries.has(hash));
  const byFrontEnd = [...inUse].sort(
    (a, b) => a.frontEnd.localeCompare(b.frontEnd) || Number(canaries.has(b.hash)) - Number(canaries.has(a.hash)),
  );
  return [...byFrontEnd, ...deployments.filter((deployment) => !inUse.includes(deployment))];
}

interface CellProps {
  readonly deployment: DeploymentStatistics;
}

function Views({ deployment: { views } }: CellProps) {
  const t = useText();
  const locale = useLocale();
  if (views.started === 0) return <span className={layout['muted']}>–</span>;
  const share = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 });
  return (
    <span>
      {new Intl.NumberFormat(locale).format(views.started)}{' '}
      <span className={layout['muted']}>
        {t('frontEnds.failedViews', { share: share.format(Math.min(1, views.failed / views.started)) })}
      </span>
    </span>
  );
}

function Speed({ deployment, vital }: CellProps & { readonly vital: Vital }) {
  const t = useText();
  const locale = useLocale();
  const measured = deployment.vitals.find((one) => one.vital === vital);
  if (!measured) return <span className={layout['muted']}>–</span>;
  const format = new Intl.NumberFormat(
    locale,
    vital === 'cls' ? { maximumFractionDigits: 3 } : { style: 'unit', unit: 'millisecond', maximumFractionDigits: 0 },
  );
  return (
    <span>
      {format.format(measured.p75)}{' '}
      <span className={layout['muted']}>{t('frontEnds.pageViews', { count: measured.count })}</span>
    </span>
  );
}

function Errors({ deployment }: CellProps) {
  const t = useText();
  const errors = sortErrors(deployment);
  if (errors.length === 0) return <span className={layout['muted']}>{t('frontEnds.none')}</span>;
  return (
    <ul role="list" className={classNames(layout['stack1'], styles['errors'])}>
      {errors.map(({ kind, count }) => (
        <li key={kind}>
          {t(`frontEnds.error.${kind}`)} <strong>{t('ui.times', { count })}</strong>
        </li>
      ))}
    </ul>
  );
}
