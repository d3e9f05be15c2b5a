import { Badge, TimeAgo } from '@alpenglow/ui';
import { useText } from '../text.ts';
import type { FrontEnd } from './front-ends.ts';
import { Size } from './size.tsx';
import styles from './front-end-table.module.css';

const COLUMNS = ['name', 'hash', 'contract', 'size', 'deployed'] as const;

/** A table with one row per front end. On phones, each row is a card that contains the column headings. */
export function FrontEndTable({ remotes }: { readonly remotes: readonly FrontEnd[] }) {
  const t = useText();
  return (
    <table className={styles['table']}>
      <thead>
        <tr>
          {COLUMNS.map((column) => (
            <th key={column} scope="col">
              {t(`frontEnds.${column}`)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {remotes.map((remote) => (
          <Row key={remote.name} remote={remote} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ remote }: { readonly remote: FrontEnd }) {
  const t = useText();
  const { name, hash, contract, fits, sizeBytes, deployedAt, canary } = remote;
  return (
    <tr>
      <th scope="row">{name}</th>
      {hash === null ? (
        <td colSpan={4}>
          <Badge tone="danger">{t('frontEnds.notDeployed')}</Badge>
        </td>
      ) : (
        <>
          <td data-label={t('frontEnds.hash')}>
            <code>{hash}</code>
            {canary && (
              <p>
                <code>{canary.hash}</code> <Badge>{t('frontEnds.canary', { percent: canary.percent })}</Badge>
              </p>
            )}
            <History remote={remote} />
          </td>
          <td data-label={t('frontEnds.contract')}>
            <span className={styles['contract']}>
              {contract}{' '}
              <Badge tone={fits ? 'success' : 'danger'}>{fits ? t('frontEnds.fits') : t('frontEnds.unfit')}</Badge>
            </span>
          </td>
          <td data-label={t('frontEnds.size')}>
            <Size bytes={sizeBytes} />
          </td>
          <td data-label={t('frontEnds.deployed')}>{deployedAt !== null && <TimeAgo at={deployedAt} />}</td>
        </>
      )}
    </tr>
  );
}

function History({ remote }: { readonly remote: FrontEnd }) {
  const { deployments } = remote;
  const t = useText();
  if (deployments.length < 2) return null;
  return (
    <details className={styles['history']}>
      <summary>{t('frontEnds.history', { count: deployments.length })}</summary>
      <ol role="list">
        {deployments.map((deployment) => (
          <li key={deployment.hash}>
            <code>{deployment.hash}</code> <DeploymentState deployment={deployment} remote={remote} />
            {deployment.isForced && (
              <>
                {' '}
                <Badge>{t('frontEnds.forced')}</Badge>
              </>
            )}
          </li>
        ))}
      </ol>
    </details>
  );
}

interface DeploymentStateProps {
  readonly deployment: FrontEnd['deployments'][number];
  readonly remote: FrontEnd;
}

function DeploymentState({ deployment, remote }: DeploymentStateProps) {
  const t = useText();
  const { hash, contract, deployedAt, isLive, isRolledBack, isPreview, reason } = deployment;
  if (hash === remote.hash) return <Badge tone="success">{t('frontEnds.isLive')}</Badge>;
  if (hash === remote.canary?.hash) return <Badge>{t('frontEnds.canary', { percent: remote.canary.percent })}</Badge>;
  if (isLive) return <Badge tone="success">{t('frontEnds.isLiveFor', { contract })}</Badge>;
  if (isRolledBack)
    return (
      <>
        <Badge tone="danger">{t('frontEnds.rolledBack')}</Badge>
        {reason !== null && <span lang="en"> {reason}</span>}
      </>
    );
  if (isPreview) return <Badge>{t('frontEnds.preview')}</Badge>;
  return <TimeAgo at={deployedAt} />;
}
