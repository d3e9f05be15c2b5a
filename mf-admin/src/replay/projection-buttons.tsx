import type { ProjectionView } from '@alpenglow/domain/contracts';
import { Button, layout, useLocale } from '@alpenglow/ui';
import { formatProjectionName } from '../panel/part-names.ts';
import { useText } from '../text.ts';
import type { ProjectionAction } from './api.ts';

export interface ProjectionButtonsProps {
  readonly projection: ProjectionView;
  readonly isBusy: boolean;
  readonly onAction: (type: ProjectionAction, name: string) => void;
}

/** Buttons for the actions that are possible in the current state of a projection, e.g. pausing a running rebuild. */
export function ProjectionButtons({ projection, isBusy, onAction }: ProjectionButtonsProps) {
  const t = useText();
  return (
    <div className={layout['row2']}>
      {actionsOf(projection).map((type) => (
        <Button
          key={type}
          size="small"
          variant={type === 'cancel' ? 'danger' : type === 'swap' ? 'primary' : 'secondary'}
          disabled={isBusy}
          aria-label={`${t(`replay.${type}`)}: ${formatProjectionName(t, projection.name)}`}
          onClick={() => onAction(type, projection.name)}
        >
          {t(`replay.${type}`)}
        </Button>
      ))}
    </div>
  );
}

export interface ParkedButtonProps {
  readonly projection: ProjectionView;
  readonly onShow: () => void;
}

/**
 * Shows how many events of a projection are parked because of an error or wait for a parked event. A click lists these
 * events.
 */
export function ParkedButton({ projection: { name, parkedEvents, waitingEvents }, onShow }: ParkedButtonProps) {
  const t = useText();
  const locale = useLocale();
  const count = parkedEvents + waitingEvents;
  if (count === 0) return '–';
  const label = t('replay.parkedOf', { name: formatProjectionName(t, name), count });
  return (
    <Button size="small" variant="danger" aria-label={label} onClick={onShow}>
      {count.toLocaleString(locale)}
    </Button>
  );
}

/** Returns the actions that are possible in the current state of a projection. */
function actionsOf({ rebuild, previous }: ProjectionView): readonly ProjectionAction[] {
  if (previous?.isReverting) return [];
  const revert: readonly ProjectionAction[] = previous ? ['revert'] : [];
  switch (rebuild?.state) {
    case 'running':
    case 'checking':
      return rebuild.wish === 'cancel' ? [] : rebuild.wish === 'pause' ? ['cancel'] : ['pause', 'cancel'];
    case 'paused':
      return rebuild.wish === null ? ['resume', 'cancel'] : [];
    case 'ready':
      return rebuild.wish === null ? ['swap', 'cancel', ...revert] : [];
    case 'swapping':
      return [];
    case 'swapped':
    case 'reverted':
    case 'cancelled':
    case 'failed':
    case undefined:
      return ['rebuild', ...revert];
  }
}
