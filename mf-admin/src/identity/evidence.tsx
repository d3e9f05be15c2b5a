import { useEffect, useState } from 'react';
import { createTraceparent, ErrorBox, Skeleton, useHost } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { getPictureUrl } from './api.ts';
import styles from './identity-page.module.css';

export interface EvidenceProps {
  readonly accountId: string;
  readonly number: number;
  readonly label: string;
  /** Called when the picture is visible. */
  readonly onShown: () => void;
}

/**
 * Shows one picture of an identity verification request. The picture is private. It is therefore fetched with the token
 * of the session and stored only in memory.
 */
export function Evidence({ accountId, number, label, onShown }: EvidenceProps) {
  const t = useText();
  const { session } = useHost();
  const token = session.state === 'authenticated' ? session.token : null;
  const [url, setUrl] = useState<string | null>(null);
  const [isFailed, setIsFailed] = useState(false);
  useEffect(() => {
    const controller = new AbortController();
    let objectUrl: string | null = null;
    const load = async () => {
      const response = await fetch(getPictureUrl(accountId, number), {
        headers: { Authorization: `Bearer ${token ?? ''}`, traceparent: createTraceparent() },
        signal: controller.signal,
      });
      if (!response.ok) throw new Error(String(response.status));
      objectUrl = URL.createObjectURL(await response.blob());
      setUrl(objectUrl);
    };
    load().catch(() => setIsFailed(!controller.signal.aborted));
    return () => {
      controller.abort();
      if (objectUrl !== null) URL.revokeObjectURL(objectUrl);
    };
  }, [accountId, number, token]);
  if (isFailed) return <ErrorBox message={t('identity.pictureFailed')} />;
  if (url === null) return <Skeleton height="16rem" />;
  return <img src={url} alt={label} className={styles['picture']} onLoad={onShown} />;
}
