import { lazyPage } from '@alpenglow/ui';
import type { ComponentType } from 'react';
import { Route, Routes } from 'react-router-dom';
import { LoadingScreen } from '../frame/loading-screen.tsx';

const page = (load: Parameters<typeof lazyPage>[0], chunk: string) => lazyPage(load, <LoadingScreen />, chunk);

/** The lazily loaded pages by path. All text pages are in one chunk, because they share one catalog of texts. */
const PAGES: Readonly<Record<string, ComponentType>> = {
  '/login': page(() => import(/* webpackChunkName: "login" */ '../pages/login-page.tsx'), 'login'),
  '/signup': page(() => import(/* webpackChunkName: "sign-up" */ '../pages/sign-up-page.tsx'), 'sign-up'),
  '/verify-email': page(
    () => import(/* webpackChunkName: "verify-email" */ '../pages/verify-email-page.tsx'),
    'verify-email',
  ),
  '/forgot-password': page(
    () => import(/* webpackChunkName: "forgot-password" */ '../pages/forgot-password-page.tsx'),
    'forgot-password',
  ),
  '/reset-password': page(
    () => import(/* webpackChunkName: "reset-password" */ '../pages/reset-password-page.tsx'),
    'reset-password',
  ),
  '/status/front-ends': page(() => import(/* webpackChunkName: "reading" */ '../pages/front-ends-page.tsx'), 'reading'),
  '/pricing': page(() => import(/* webpackChunkName: "reading" */ '../pages/pricing-page.tsx'), 'reading'),
  '/privacy': page(() => import(/* webpackChunkName: "reading" */ '../pages/privacy-page.tsx'), 'reading'),
  '/terms': page(() => import(/* webpackChunkName: "reading" */ '../pages/terms-page.tsx'), 'reading'),
  '/about': page(() => import(/* webpackChunkName: "reading" */ '../pages/about-page.tsx'), 'reading'),
  '/help': page(() => import(/* webpackChunkName: "reading" */ '../pages/help-page.tsx'), 'reading'),
  '/removal': page(() => import(/* webpackChunkName: "removal" */ '../pages/removal/request-page.tsx'), 'removal'),
  '/removal/:id': page(() => import(/* webpackChunkName: "removal" */ '../pages/removal/status-page.tsx'), 'removal'),
};

/** Renders the pages of the shell. routes/owners.ts contains the same paths. */
export function ShellPages() {
  return (
    <Routes>
      {Object.entries(PAGES).map(([path, Page]) => (
        <Route key={path} path={path} element={<Page />} />
      ))}
    </Routes>
  );
}
