import { useEffect, useEffectEvent, useState } from 'react';
import { useMutation } from '@tanstack/react-query';
import { useLocation, useNavigate } from 'react-router-dom';
import { Button, ErrorBox, LinkButton, messageOf, Page, PageHeading, useApi } from '@alpenglow/ui';
import { unsubscribe } from '../api/calls.ts';
import { useText } from '../text.ts';
import pages from '../pages/pages.module.css';

/** `/community/unsubscribe#token`: ends the mails that a mail came from. The token is in the fragment, which no server sees, and leaves the address at once. */
export default function UnsubscribePage() {
  const t = useText();
  const api = useApi();
  const { hash, pathname } = useLocation();
  const navigate = useNavigate();
  const [token] = useState(() => decoded(hash.slice(1)));
  const stop = useMutation({ mutationFn: () => unsubscribe(api, token) });
  const clear = useEffectEvent(() => {
    if (hash !== '') void navigate(pathname, { replace: true });
  });
  useEffect(() => clear(), []);
  const title = t('community.unsubscribe');
  return (
    <Page narrow>
      <header className={pages['head']}>
        <PageHeading documentTitle={title}>{title}</PageHeading>
        {token !== '' && !stop.isSuccess && <p>{t('community.unsubscribeText')}</p>}
      </header>
      <div className={pages['stack']}>
        <p role="status" className={stop.isSuccess ? pages['done'] : undefined}>
          {stop.isSuccess && t('community.unsubscribed')}
        </p>
        {token === '' && <ErrorBox message={t('community.linkIncomplete')} />}
        {stop.isError && <ErrorBox message={messageOf(stop.error, t('community.sendFailed'))} />}
        <div className={pages['actions']}>
          {token !== '' && !stop.isSuccess && (
            <Button variant="primary" busy={stop.isPending} onClick={() => stop.mutate()}>
              {stop.isPending ? t('community.sending') : t('community.stopMails')}
            </Button>
          )}
          <LinkButton to="/community?show=following">{t('community.following')}</LinkButton>
        </div>
      </div>
    </Page>
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
