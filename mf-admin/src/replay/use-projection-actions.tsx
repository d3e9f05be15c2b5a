import type { ProjectionView } from '@alpenglow/domain/contracts';
import { useWrite } from '@alpenglow/ui';
import { useConfirmedAction } from '../panel/use-confirmed-action.tsx';
import { formatProjectionName } from '../panel/part-names.ts';
import { useText } from '../text.ts';
import type { ProjectionAction } from './api.ts';
import { useReplayAction } from './use-replay-action.ts';

/** Actions on a projection that need a confirmation. */
const CONFIRMED_ACTIONS = ['cancel', 'swap', 'revert'] as const;
type ConfirmedAction = (typeof CONFIRMED_ACTIONS)[number];

/**
 * Returns `start`, which starts an action on a projection. `dialog` requests the confirmation that some actions need.
 */
export function useProjectionActions(projections: readonly ProjectionView[]) {
  const t = useText();
  const action = useReplayAction();
  const write = useWrite(action);
  const confirmed = useConfirmedAction<{ readonly type: ConfirmedAction; readonly name: string }>({
    ...action,
    dialog: ({ type, name }) => {
      const differingRows = projections.find((projection) => projection.name === name)?.rebuild?.differingRows ?? 0;
      const differs = type === 'swap' && differingRows > 0;
      return {
        title: `${t(`replay.${type}`)}: ${formatProjectionName(t, name)}`,
        text: (
          <>
            {differs && <p>{t('replay.confirm.swapDiffers', { count: differingRows })}</p>}
            <p>{t(`replay.confirm.${type}`)}</p>
          </>
        ),
        confirmLabel: t(`replay.${type}`),
        cancelLabel: t(type === 'cancel' ? 'replay.keep' : 'common.cancel'),
        isDangerous: type === 'cancel' || differs,
      };
    },
  });
  return {
    isBusy: write.isPending,
    start: (type: ProjectionAction, name: string) =>
      needsConfirmation(type) ? confirmed.openDialog({ type, name }) : write.mutate({ type, name }),
    dialog: confirmed.dialog,
  };
}

function needsConfirmation(type: ProjectionAction): type is ConfirmedAction {
  return CONFIRMED_ACTIONS.some((confirmed) => confirmed === type);
}
