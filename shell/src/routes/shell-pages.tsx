import { lazyPage } from '@alpenglow/ui';
import type { ComponentType } from 'react';
import { Route, Routes } from 'react-router-dom';
import { LoadingScreen } from '../frame/loading-screen.tsx';

const page = (load: Parameters<typeof lazyPage>[0]) => lazyPage(load, <LoadingScreen />);

/** The lazily loaded pages by path. All text pages are in one chunk, because they share one catalog of texts. */
const PAGES: Readonly<Record<string, ComponentType>> = {
  '/login': page(() => import('../pages/login-page.tsx')),
  '/signup': page(() => import('../pages/sign-up-page.tsx')),
  '/verify-email': page(() => import('../pages/verify-email-page.tsx')),
  '/forgot-password': page(() => import('../pages/forgot-password-page.tsx')),
  '/reset-password': page(() => import('../pages/reset-password-page.tsx')),
  '/status/front-ends': page(() => import(/* webpackChunkName: "reading" */ '../pages/front-ends-page.tsx')),
  '/pricing': page(() => import(/* webpackChunkName: "reading" */ '../pages/pricing-page.tsx')),
  '/privacy': page(() => import(/* webpackChunkName: "reading" */ '../pages/privacy-page.tsx')),
  '/terms': page(() => import(/* webpackChunkName: "reading" */ '../pages/terms-page.tsx')),
  '/about': page(() => import(/* webpackChunkName: "reading" */ '../pages/about-page.tsx')),
  '/help': page(() => import(/* webpackChunkName: "reading" */ '../pages/help-page.tsx')),
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
