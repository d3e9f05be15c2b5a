import { useState } from 'react';
import type { ThreadCard } from '@alpenglow/domain/contracts';
import { Button, classNames, Dialog, ErrorBox, layout, messageOf, useApi, useSend } from '@alpenglow/ui';
import { moveThread } from '../api/requests.ts';
import { useText } from '../text.ts';
import { PlaceChooser } from '../write/place-chooser.tsx';

export interface MoveDialogProps {
  readonly thread: Pick<ThreadCard, 'id' | 'country' | 'state' | 'city'>;
  readonly onClose: () => void;
  readonly onMoved: () => void;
}

/** A dialog that moves a thread to another city. */
export function MoveDialog({ thread, onClose, onMoved }: MoveDialogProps) {
  const t = useText();
  const api = useApi();
  const [place, setPlace] = useState({ country: thread.country, state: thread.state, city: thread.city });
  const move = useSend({ mutationFn: () => moveThread(api, thread.id, place), onSuccess: onMoved });
  const isUnchanged = place.city === thread.city && place.state === thread.state;
  return (
    <Dialog
      open
      title={t('community.move')}
      onClose={move.isPending ? undefined : onClose}
      actions={
        <>
          <Button onClick={onClose} disabled={move.isPending}>
            {t('common.cancel')}
          </Button>
          <Button
            variant="primary"
            busy={move.isPending}
            disabled={isUnchanged || place.city === ''}
            onClick={() => move.mutate()}
          >
            {t('community.moveHere')}
          </Button>
        </>
      }
    >
      <div className={classNames(layout['stack4'], layout['shrink'])}>
        <p>{t('community.moveText')}</p>
        <PlaceChooser value={place} error={undefined} onChange={setPlace} />
        {move.isError && <ErrorBox message={messageOf(move.error, t('community.sendFailed'))} />}
      </div>
    </Dialog>
  );
}
