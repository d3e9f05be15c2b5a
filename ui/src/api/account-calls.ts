/** Requests of accounts, except those of a session. A bundle contains only those that it uses. */
import type { ProfileFields, ResetPasswordFields, SignUpFields } from '@alpenglow/domain/contracts';
import { createErrorFormatter, formatSignUpError } from './api-error.ts';
import type { Api } from './client.ts';

/**
 * Logs in. If the account uses two-step sign-in, a login without `code` fails with TWO_STEP_CODE_REQUIRED. After many
 * failed logins to the account, it fails with LOGIN_CODE_REQUIRED.
 */
export const logIn = (api: Api, email: string, password: string, code?: string) =>
  api.request<'logIn'>({
    method: 'POST',
    path: '/auth/login',
    body: { email, password, code },
    formatMessage: createErrorFormatter('api.loginFailed'),
  });

export const signUp = (api: Api, fields: SignUpFields) =>
  api.request<'signUp'>({
    method: 'POST',
    path: '/auth/signup',
    body: fields,
    formatMessage: formatSignUpError,
    networkMessage: 'api.signUpNetwork',
  });

export const verifyEmail = (api: Api, email: string, code: string) =>
  api.request<'verifyEmail'>({
    method: 'POST',
    path: '/auth/verify-email',
    body: { email, code },
    formatMessage: createErrorFormatter('api.verificationFailed'),
  });

export const resendVerification = (api: Api, email: string) =>
  api.request<'resendVerification'>({
    method: 'POST',
    path: '/auth/resend-verification',
    body: { email },
    formatMessage: createErrorFormatter('api.resendFailed'),
  });

/** Requests a code for a new password. The response does not show whether the address has an account. */
export const forgotPassword = (api: Api, email: string) =>
  api.request<'forgotPassword'>({ method: 'POST', path: '/auth/forgot-password', body: { email } });

/** Sets a new password. Without the data of the owner, it fails with PROFILE_REQUIRED for an unverified address. */
export const resetPassword = (api: Api, fields: ResetPasswordFields) =>
  api.request<'resetPassword'>({
    method: 'POST',
    path: '/auth/reset-password',
    body: fields,
    formatMessage: createErrorFormatter('api.resetFailed'),
  });

export const changePassword = (api: Api, currentPassword: string, newPassword: string) =>
  api.requestWithToken<'changePassword'>({
    method: 'POST',
    path: '/auth/change-password',
    body: { currentPassword, newPassword },
  });

export const updateProfile = (api: Api, fields: ProfileFields) =>
  api.requestWithToken<'updateProfile'>({ method: 'PUT', path: '/auth/profile', body: fields });
