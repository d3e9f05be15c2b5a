/** Requests of accounts. A bundle contains only those that it uses. */
import type {
  EmptyResultResponse,
  ProfileFields,
  ResendResponse,
  ResetPasswordFields,
  SessionResponse,
  SignUpFields,
  UserResponse,
} from '@alpenglow/domain/contracts';
import { createErrorFormatter, formatSignUpError } from './api-error.ts';
import type { Api } from './client.ts';

/**
 * Logs in. If the account uses two-step sign-in, a login without `code` fails with TWO_STEP_CODE_REQUIRED. After many
 * failed logins to the account, it fails with LOGIN_CODE_REQUIRED.
 */
export const logIn = (api: Api, email: string, password: string, code?: string) =>
  api.request<SessionResponse>({
    method: 'POST',
    path: '/auth/login',
    body: { email, password, code },
    formatMessage: createErrorFormatter('api.loginFailed'),
  });

export const signUp = (api: Api, fields: SignUpFields) =>
  api.request<SessionResponse>({
    method: 'POST',
    path: '/auth/signup',
    body: fields,
    formatMessage: formatSignUpError,
    networkMessage: 'api.signUpNetwork',
  });

/** Ends the session on the server. */
export const endSession = (api: Api) => api.requestWithToken<unknown>({ method: 'POST', path: '/auth/logout' });

/** Returns the user of the session. */
export const verifySession = (api: Api) =>
  api.requestWithToken<UserResponse>({
    method: 'POST',
    path: '/auth/verify',
    formatMessage: createErrorFormatter('api.tokenVerificationFailed'),
  });

export const verifyEmail = (api: Api, email: string, code: string) =>
  api.request<UserResponse>({
    method: 'POST',
    path: '/auth/verify-email',
    body: { email, code },
    formatMessage: createErrorFormatter('api.verificationFailed'),
  });

export const resendVerification = (api: Api, email: string) =>
  api.request<ResendResponse>({
    method: 'POST',
    path: '/auth/resend-verification',
    body: { email },
    formatMessage: createErrorFormatter('api.resendFailed'),
  });

/** Requests a code for a new password. The response does not show whether the address has an account. */
export const forgotPassword = (api: Api, email: string) =>
  api.request<EmptyResultResponse>({ method: 'POST', path: '/auth/forgot-password', body: { email } });

/** Sets a new password. Without the data of the owner, it fails with PROFILE_REQUIRED for an unverified address. */
export const resetPassword = (api: Api, fields: ResetPasswordFields) =>
  api.request<EmptyResultResponse>({
    method: 'POST',
    path: '/auth/reset-password',
    body: fields,
    formatMessage: createErrorFormatter('api.resetFailed'),
  });

export const changePassword = (api: Api, currentPassword: string, newPassword: string) =>
  api.requestWithToken<EmptyResultResponse>({
    method: 'POST',
    path: '/auth/change-password',
    body: { currentPassword, newPassword },
  });

export const updateProfile = (api: Api, fields: ProfileFields) =>
  api.requestWithToken<UserResponse>({ method: 'PUT', path: '/auth/profile', body: fields });
