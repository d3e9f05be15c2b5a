import { ToastRegion, useToasts, type Host, type Toast } from '@alpenglow/ui';
import { createContext, use, useEffect, useMemo, type ReactNode } from 'react';
import { sessionStore } from '../session/session.ts';
import { useText } from '../text.ts';
import { ConnectionNotice } from './connection-notice.tsx';
import { UploadsNotice } from './uploads/uploads-notice.tsx';

interface ShownNotices {
  readonly toasts: readonly Toast[];
  dismiss(id: number): void;
}

const NotifyContext = createContext<Host['notify'] | null>(null);
const ToastsContext = createContext<ShownNotices | null>(null);

/**
 * Stores the toasts (short messages) of the page. They show notices from remotes and the end of a session. A new toast
 * renders only the region of the toasts again, because the children do not change.
 */
export function NoticesProvider({ children }: { readonly children: ReactNode }) {
  const t = useText();
  const { toasts, notify, dismiss } = useToasts();
  useEffect(
    () =>
      sessionStore.onEnding((ending) => {
        const message = t(ending === 'refused' ? 'api.tokenVerificationFailed' : 'api.authenticationRequired');
        notify({ text: `${message}. ${t('logInAgain')}`, tone: 'danger' });
      }),
    [notify, t],
  );
  const shown = useMemo(() => ({ toasts, dismiss }), [toasts, dismiss]);
  return (
    <NotifyContext value={notify}>
      <ToastsContext value={shown}>{children}</ToastsContext>
    </NotifyContext>
  );
}

/** Returns the function that shows a toast. */
export function useNotify(): Host['notify'] {
  const notify = use(NotifyContext);
  if (!notify) throw new Error('useNotify must be used within a NoticesProvider');
  return notify;
}

/** The region of the page that shows the toasts. */
export function Toasts() {
  const shown = use(ToastsContext);
  return (
    <ToastRegion toasts={shown?.toasts ?? []} onDismiss={shown?.dismiss ?? ignore} silent={<UploadsNotice />}>
      <ConnectionNotice />
    </ToastRegion>
  );
}

const ignore = () => undefined;
