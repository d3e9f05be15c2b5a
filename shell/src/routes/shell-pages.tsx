import { lazyPage } from '@alpenglow/ui';
import { Route, Routes } from 'react-router-dom';
import { LoadingScreen } from '../frame/loading-screen.tsx';

const loading = <LoadingScreen />;
const Login = lazyPage(() => import('../pages/login-page.tsx'), loading);
const SignUp = lazyPage(() => import('../pages/sign-up-page.tsx'), loading);
const VerifyEmail = lazyPage(() => import('../pages/verify-email-page.tsx'), loading);
const ForgotPassword = lazyPage(() => import('../pages/forgot-password-page.tsx'), loading);
const ResetPassword = lazyPage(() => import('../pages/reset-password-page.tsx'), loading);
// Pages to read share a catalog, and so a file.
const FrontEnds = lazyPage(() => import(/* webpackChunkName: "reading" */ '../pages/front-ends-page.tsx'), loading);
const Pricing = lazyPage(() => import(/* webpackChunkName: "reading" */ '../pages/pricing-page.tsx'), loading);
const Privacy = lazyPage(() => import(/* webpackChunkName: "reading" */ '../pages/privacy-page.tsx'), loading);
const Terms = lazyPage(() => import(/* webpackChunkName: "reading" */ '../pages/terms-page.tsx'), loading);
const Help = lazyPage(() => import(/* webpackChunkName: "reading" */ '../pages/help-page.tsx'), loading);
const About = lazyPage(() => import(/* webpackChunkName: "reading" */ '../pages/about-page.tsx'), loading);

/** The pages that are the shell's own; routes/owners.ts lists the same addresses. */
export function ShellPages() {
  return (
    <Routes>
      <Route path="/login" element={<Login />} />
      <Route path="/signup" element={<SignUp />} />
      <Route path="/verify-email" element={<VerifyEmail />} />
      <Route path="/forgot-password" element={<ForgotPassword />} />
      <Route path="/reset-password" element={<ResetPassword />} />
      <Route path="/status/front-ends" element={<FrontEnds />} />
      <Route path="/pricing" element={<Pricing />} />
      <Route path="/privacy" element={<Privacy />} />
      <Route path="/terms" element={<Terms />} />
      <Route path="/about" element={<About />} />
      <Route path="/help" element={<Help />} />
    </Routes>
  );
}
