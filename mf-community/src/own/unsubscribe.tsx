import { useEffect, useEffectEvent, useState } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';
import {
  Button,
  decodeUrlPart,
  ErrorBox,
  layout,
  LinkButton,
  messageOf,
  Page,
  PageHeading,
  useApi,
  useSend,
} from '@alpenglow/ui';
import { unsubscribe } from '../api/requests.ts';
import { useText } from '../text.ts';
import pages from '../pages/pages.module.css';

/**
 * The page `/community/unsubscribe#token`, which stops notification mails. The mails contain a link to this page. The
 * token is in the fragment of the URL, because browsers do not send the fragment to servers. The page removes the token
 * from the URL immediately.
 */
export default function UnsubscribePage() {
  const t = useText();
  const api = useApi();
  const { hash, pathname } = useLocation();
  const navigate = useNavigate();
  const [token] = useState(() => decodeUrlPart(hash.slice(1)));
  const stopMails = useSend({ mutationFn: () => unsubscribe(api, token) });
  const removeToken = useEffectEvent(() => {
    if (hash !== '') void navigate(pathname, { replace: true });
  });
  useEffect(() => removeToken(), []);
  const title = t('community.unsubscribe');
  return (
    <Page narrow>
      <header className={pages['head']}>
        <PageHeading documentTitle={title}>{title}</PageHeading>
        {token !== '' && !stopMails.isSuccess && <p>{t('community.unsubscribeText')}</p>}
      </header>
      <div className={layout['stack4']}>
        <p role="status" className={stopMails.isSuccess ? pages['done'] : undefined}>
          {stopMails.isSuccess && t('community.unsubscribed')}
        </p>
        {token === '' && <ErrorBox message={t('community.linkIncomplete')} />}
        {stopMails.isError && <ErrorBox message={messageOf(stopMails.error, t('community.sendFailed'))} />}
        <div className={pages['actions']}>
          {token !== '' && !stopMails.isSuccess && (
            <Button variant="primary" busy={stopMails.isPending} onClick={() => stopMails.mutate()}>
              {stopMails.isPending ? t('community.sending') : t('community.stopMails')}
            </Button>
          )}
          <LinkButton to="/community?show=following">{t('community.following')}</LinkButton>
        </div>
      </div>
    </Page>
  );
}
