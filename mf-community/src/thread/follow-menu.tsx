import { useState } from 'react';
import { useLocation } from 'react-router-dom';
import { FOLLOW_MAIL_MODES, type FollowMailMode } from '@alpenglow/domain/contracts';
import { Choice, LinkButton, Menu, messageOf, useApi, useHost } from '@alpenglow/ui';
import { follow } from '../api/requests.ts';
import { useText } from '../text.ts';

export interface FollowMenuProps {
  readonly threadId: string;
  /** The member's setting for mails about the thread. Null if the member does not follow the thread. */
  readonly mail: FollowMailMode | null;
  /** Called after the server has stored the new setting. */
  readonly onChanged: (mail: FollowMailMode | null) => void;
}

/** A menu to follow a thread and to choose the setting for mails about it. */
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
  const choose = async (chosen: FollowMailMode | null) => {
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
      {FOLLOW_MAIL_MODES.map((option) => (
        <Choice key={option} isChosen={mail === option} onChoose={() => void choose(option)}>
          {t(`community.mail.${option}`)}
        </Choice>
      ))}
      {mail !== null && <Choice onChoose={() => void choose(null)}>{t('community.unfollow')}</Choice>}
    </Menu>
  );
}
