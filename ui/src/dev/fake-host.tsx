import { useEffect, useMemo, useState, type ComponentType } from 'react';
import { QueryClientProvider } from '@tanstack/react-query';
import { BrowserRouter, useNavigate } from 'react-router-dom';
import {
  isAdMessage,
  isThreadMessage,
  type AdLiveMessage,
  type LiveMessage,
  type ThreadLiveMessage,
  type UserType,
  type UserView,
} from '@alpenglow/domain/contracts';
import { logIn } from '../api/account-calls.ts';
import { getErrorMessage } from '../api/api-error.ts';
import { createApi } from '../api/client.ts';
import { createQueryClient } from '../api/query-client.ts';
import { Button } from '../components/button.tsx';
import { Select } from '../components/field.tsx';
import { ToastRegion, useToasts } from '../components/toast.tsx';
import { LocaleProvider } from '../i18n/text.tsx';
import { negotiateLocale } from '../i18n/locales.ts';
import { getBrowserStorage } from '../host/browser-storage.ts';
import type { Host, RemoteProps, Session } from '../host/contract.ts';
import { LOCAL_KEYS } from '../host/stored-keys.ts';
import styles from './fake-host.module.css';

declare global {
  /**
   * Simulates a live message from the browser console. It exists only while a remote is developed without the shell.
   */
  var playLive: ((message: LiveMessage) => void) | undefined;
}

type Visitor = 'anonymous' | UserType | 'admin';
const VISITORS: readonly Visitor[] = ['anonymous', 'client', 'provider', 'admin'];
/** The accounts of the demo, with which a developer logs in by one click. */
const DEMO_ACCOUNTS = ['client', 'provider', 'admin'] as const;
const DEMO_PASSWORD = 'alpenglow-demo';

function storeChoice(choice: string): void {
  window.name = choice;
}

/** Returns the visitor that the developer has chosen in this tab. The name of the window survives reloads. */
function readChosenSession(): Session {
  const chosen = VISITORS.find((visitor) => window.name === visitor);
  if (chosen) return sessionOf(chosen);
  try {
    // The cast is safe, because only `logIn` writes JSON into the name.
    return { state: 'authenticated', ...(JSON.parse(window.name) as { user: UserView; token: string }) };
  } catch {
    return { state: 'anonymous' };
  }
}

/**
 * Runs one remote (micro-frontend) without the shell, for development (`npm run dev -w mf-listings`). The developer
 * selects the kind of visitor in a list, or logs in as a demo account. The choice stays until the tab is closed.
 * Requests of a selected visitor contain the token of an earlier login on the complete site, if the browser has one.
 */
export function FakeHost({ App, basePath }: { readonly App: ComponentType<RemoteProps>; readonly basePath: string }) {
  const [queryClient] = useState(createQueryClient);
  return (
    <QueryClientProvider client={queryClient}>
      <LocaleProvider locale={negotiateLocale(navigator.languages)}>
        <BrowserRouter>
          <Hosted App={App} basePath={basePath} />
        </BrowserRouter>
      </LocaleProvider>
    </QueryClientProvider>
  );
}

function Hosted({ App, basePath }: { readonly App: ComponentType<RemoteProps>; readonly basePath: string }) {
  const navigate = useNavigate();
  const { toasts, notify, dismiss } = useToasts();
  const [session, setSession] = useState<Session>(readChosenSession);
  const visitor: Visitor =
    session.state !== 'authenticated' ? 'anonymous' : session.user.isAdmin ? 'admin' : session.user.userType;
  const [listeners] = useState(() => new Set<(message: AdLiveMessage) => void>());
  const [threadListeners] = useState(() => new Set<(message: ThreadLiveMessage) => void>());
  useEffect(() => {
    globalThis.playLive = (message) => {
      if (isAdMessage(message)) listeners.forEach((listener) => listener(message));
      else if (isThreadMessage(message)) threadListeners.forEach((listener) => listener(message));
    };
  }, [listeners, threadListeners]);

  const choose = (chosen: Visitor) => {
    storeChoice(chosen);
    setSession(sessionOf(chosen));
  };
  const openAccount = (account: (typeof DEMO_ACCOUNTS)[number]) => {
    logIn(createApi(), `${account}@demo.alpenglow.example`, DEMO_PASSWORD).then(
      ({ user, token }) => {
        storeChoice(JSON.stringify({ user, token }));
        setSession({ state: 'authenticated', user, token });
      },
      (error: unknown) => notify({ text: getErrorMessage(error, 'The login failed'), tone: 'danger' }),
    );
  };

  const host = useMemo<Host>(
    () => ({
      session,
      updateUser: (user) =>
        setSession((current) => (current.state === 'authenticated' ? { ...current, user } : current)),
      navigate: (to, options) => void navigate(to, options),
      notify,
      onLive(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      onThreadLive(listener) {
        threadListeners.add(listener);
        return () => threadListeners.delete(listener);
      },
      onPageShown(listener) {
        listener();
        return () => undefined;
      },
      locale: negotiateLocale(navigator.languages),
      sessionEnded: () => {
        storeChoice('anonymous');
        setSession(sessionOf('anonymous'));
      },
    }),
    [session, navigate, notify, listeners, threadListeners],
  );

  return (
    <>
      <header>
        <label className={styles['bar']}>
          Visitor
          <Select value={visitor} onChange={(event) => choose(event.target.value as Visitor)}>
            {VISITORS.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </Select>
        </label>
        {DEMO_ACCOUNTS.map((account) => (
          <Button key={account} size="small" onClick={() => openAccount(account)}>
            Log in as {account}
          </Button>
        ))}
      </header>
      <main>
        <App basePath={basePath} host={host} />
      </main>
      <ToastRegion toasts={toasts} onDismiss={dismiss} />
    </>
  );
}

function sessionOf(visitor: Visitor): Session {
  if (visitor === 'anonymous') return { state: 'anonymous' };
  const user: UserView = {
    id: `fake-${visitor}`,
    email: `${visitor}@example.test`,
    userType: visitor === 'provider' ? 'provider' : 'client',
    verified: false,
    isEmailVerified: true,
    isAdmin: visitor === 'admin',
    isModerator: visitor === 'admin',
    twoStep: false,
    isProvider: visitor === 'provider',
    displayName: visitor,
    age: 30,
    subscriptionStatus: 'none',
    subscriptionPlan: null,
    isFreeTrial: false,
    canPostAds: visitor === 'provider',
  };
  return { state: 'authenticated', user, token: getBrowserStorage().getItem(LOCAL_KEYS.token) ?? 'fake-token' };
}
