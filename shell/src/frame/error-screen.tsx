import { Button } from '@alpenglow/ui';
import { messages } from '../messages.ts';
import styles from './screens.module.css';

/** The last resort: the shell itself has failed (specification, section 2). */
export function ErrorScreen({ error }: { readonly error: Error }) {
  return (
    <main className={styles['screen']} role="alert">
      <h1>{messages.applicationError}</h1>
      <p className={styles['detail']}>{error.message}</p>
      <Button variant="primary" onClick={() => location.reload()}>
        {messages.reload}
      </Button>
    </main>
  );
}
