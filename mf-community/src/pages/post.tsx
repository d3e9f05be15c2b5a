import { communityMessages as text, LinkButton } from '@alpenglow/ui';
import { NotYetPage } from './not-yet.tsx';
import styles from './pages.module.css';

/** A single post. There are none yet, so none can be found. */
export function PostPage() {
  return (
    <NotYetPage title={text.postUnknown} notYet={text.notYetText}>
      <div className={styles['actions']}>
        <LinkButton to="/community">{text.community}</LinkButton>
      </div>
    </NotYetPage>
  );
}
