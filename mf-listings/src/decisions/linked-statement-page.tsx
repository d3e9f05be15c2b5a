import { useEffect, useEffectEvent } from 'react';
import { useLocation, useNavigate, useParams } from 'react-router-dom';
import { EmptyState, LinkButton, Page, PageHeading, remembering, tabStorage } from '@alpenglow/ui';
import { StatementOf } from './statement.tsx';
import { useText } from './text.ts';

const TOKEN = /^[\w-]{43}$/u;
const kept = remembering(tabStorage());
const keyOf = (id: string) => `alpenglow.statement.${id}`;

/**
 * `/decisions/{id}#token`: a statement of reasons for somebody whose account is closed, who has a mail with this link. The token is in the fragment, which no
 * server sees. It leaves the address at once, so that nobody reads it over a shoulder or in the history, and stays with the tab for a reload.
 */
export default function LinkedStatementPage() {
  const t = useText();
  const { id = '' } = useParams();
  const { hash, pathname } = useLocation();
  const navigate = useNavigate();
  const given = hash.slice(1);
  const takeIn = useEffectEvent(() => {
    if (given === '') return;
    if (TOKEN.test(given)) kept.setItem(keyOf(id), given);
    void navigate(pathname, { replace: true });
  });
  useEffect(() => takeIn(), [given]);
  const token = TOKEN.test(given) ? given : kept.getItem(keyOf(id));
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
    <StatementOf
      key={`${id} ${token}`}
      id={id}
      reader={{ token }}
      unknown={<p>{t('decisions.wholeLink')}</p>}
      elsewhere={help}
    />
  );
}
