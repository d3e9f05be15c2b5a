import { useEffect, useEffectEvent } from 'react';
import { useLocation, useNavigate, useParams } from 'react-router-dom';
import { EmptyState, LinkButton, Page, PageHeading, remembering, TAB_KEYS, tabStorage } from '@alpenglow/ui';
import { StatementContent } from './statement-content.tsx';
import { useText } from './text.ts';

const TOKEN = /^[\w-]{43}$/u;
const storage = remembering(tabStorage());
const storageKeyOf = (id: string) => TAB_KEYS.statement + id;

/**
 * The page `/decisions/{id}#token`, to which an e-mail links. It shows a statement of reasons to a person whose account
 * is closed. The token is in the fragment, because browsers do not send the fragment to servers. The page removes the
 * token from the URL, so that the token is neither visible nor in the browser history. The token is stored in this tab,
 * so that a reload works.
 */
export default function LinkedStatementPage() {
  const t = useText();
  const { id = '' } = useParams();
  const { hash, pathname } = useLocation();
  const navigate = useNavigate();
  const tokenInUrl = hash.slice(1);
  const storeToken = useEffectEvent(() => {
    if (tokenInUrl === '') return;
    if (TOKEN.test(tokenInUrl)) storage.setItem(storageKeyOf(id), tokenInUrl);
    void navigate(pathname, { replace: true });
  });
  useEffect(() => storeToken(), [tokenInUrl]);
  const token = TOKEN.test(tokenInUrl) ? tokenInUrl : storage.getItem(storageKeyOf(id));
  const help = <LinkButton to="/help#appeal">{t('decisions.help')}</LinkButton>;
  if (token === null) {
    return (
      <Page narrow>
        <EmptyState
          title={<PageHeading documentTitle={t('decisions.one')}>{t('decisions.one')}</PageHeading>}
          actions={help}
        >
          <p>{t('decisions.wholeLink')}</p>
        </EmptyState>
      </Page>
    );
  }
  return (
    <StatementContent
      key={`${id} ${token}`}
      id={id}
      reader={{ token }}
      unknown={<p>{t('decisions.wholeLink')}</p>}
      elsewhere={help}
    />
  );
}
