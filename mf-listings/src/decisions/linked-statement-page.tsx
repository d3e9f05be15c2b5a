import { useParams } from 'react-router-dom';
import { EmptyState, LinkButton, Page, PageHeading, TAB_KEYS, useLinkToken } from '@alpenglow/ui';
import { StatementContent } from './statement-content.tsx';
import { useText } from './text.ts';

/**
 * The page `/decisions/{id}#token`, to which an e-mail links. It shows a statement of reasons to a person whose account
 * is closed.
 */
export default function LinkedStatementPage() {
  const t = useText();
  const { id = '' } = useParams();
  const token = useLinkToken(TAB_KEYS.statement + id);
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
