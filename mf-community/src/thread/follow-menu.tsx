import { useState } from 'react';
import { useLocation } from 'react-router-dom';
import { FOLLOW_MAILS, type FollowMail } from '@alpenglow/domain/contracts';
import { LinkButton, messageOf, useApi, useHost } from '@alpenglow/ui';
import { follow } from '../api/calls.ts';
import { useText } from '../text.ts';
import { Choice, Menu } from './menu.tsx';

export interface FollowMenuProps {
  readonly threadId: string;
  /** Null: not followed. */
  readonly mail: FollowMail | null;
  /** It is as it was chosen. */
  readonly onChanged: (mail: FollowMail | null) => void;
}

/** Whether a thread is followed, and how its replies are mailed. */
export function FollowMenu({ threadId, mail, onChanged }: FollowMenuProps) {
  const t = useText();
  const api = useApi();
  const { session, notify } = useHost();
  const { pathname } = useLocation();
  const [isBusy, setBusy] = useState(false);
  if (session.state !== 'authenticated') {
    return (
      <LinkButton to="/login" state={{ from: pathname }} size="small">
        {t('community.follow')}
      </LinkButton>
    );
  }
  const choose = async (chosen: FollowMail | null) => {
    if (isBusy || chosen === mail) return;
    setBusy(true);
    try {
      await follow(api, threadId, chosen);
      onChanged(chosen);
      notify({
        text: chosen === null ? t('community.unfollowed') : t(`community.mail.${chosen}.done`),
        tone: 'success',
      });
    } catch (error) {
      notify({ text: messageOf(error, t('community.sendFailed')), tone: 'danger' });
    } finally {
      setBusy(false);
    }
  };
  return (
    <Menu label={mail === null ? t('community.follow') : t('community.followed')} variant="secondary">
      {FOLLOW_MAILS.map((one) => (
        <Choice key={one} isChosen={mail === one} onChoose={() => void choose(one)}>
          {t(`community.mail.${one}`)}
        </Choice>
      ))}
      {mail !== null && <Choice onChoose={() => void choose(null)}>{t('community.unfollow')}</Choice>}
    </Menu>
  );
}
