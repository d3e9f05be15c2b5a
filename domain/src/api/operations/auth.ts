import * as fields from '../../account/fields.ts';
import { registerResponse } from '../component.ts';
import { jsonBody, jsonResponse, defineOperation, POSITION_HEADERS, conditionalReadResponses } from '../operation.ts';
import {
  liveTicketResponse,
  recoveryCodesResponse,
  sessionListResponse,
  resendResponse,
  sessionResponse,
  twoStepResponse,
  twoStepSetUpResponse,
  userResponse,
} from '../schemas/accounts.ts';
import { emptyResultResponse } from '../schemas/common.ts';
import { sessionId } from './parameters.ts';

const EMAIL = 'anna@example.com';
const PASSWORD = 'correct horse battery';
const CODE = '123456';
const PASSWORD_CHANGED = registerResponse(
  'PasswordChanged',
  jsonResponse(emptyResultResponse, 'The password was changed.', POSITION_HEADERS),
);
const common = { tag: 'Accounts' } as const;
const signedIn = { ...common, access: 'bearer' } as const;

/** Operations on accounts and sessions, below `/auth`. */
export const authOperations = [
  defineOperation('signUp', 'POST', '/auth/signup', {
    ...common,
    rateLimits: ['sign-up', 'sign-up-mails'],
    failureMessage: 'Signup failed',
    summary: 'Open an account',
    description:
      'The response does not show whether the address already had an account. ' +
      'The owner of such an account is notified by mail.',
    body: jsonBody(fields.signUpFields, {
      email: EMAIL,
      password: PASSWORD,
      userType: 'provider',
      displayName: 'Anna',
      age: 30,
    }),
    responses: {
      201: jsonResponse(
        sessionResponse,
        'The account is open and signed in. A code was sent to the address.',
        POSITION_HEADERS,
      ),
    },
    errors: ['UNDER_AGE'],
  }),
  defineOperation('logIn', 'POST', '/auth/login', {
    ...common,
    rateLimits: ['login'],
    failureMessage: 'Login failed',
    summary: 'Sign in',
    description:
      'After failed attempts, the next one has to wait, longer each time. ' +
      'With two-step sign-in, `code` is a code of the app or a recovery code. ' +
      'After many failed attempts, it is a mailed code.',
    body: jsonBody(fields.logInFields, { email: EMAIL, password: PASSWORD }),
    responses: { 200: jsonResponse(sessionResponse, 'A new session.') },
    errors: ['LOGIN_FAILED', 'LOGIN_DELAYED', 'LOGIN_CODE_REQUIRED', 'TWO_STEP_CODE_REQUIRED', 'TWO_STEP_FAILED'],
  }),
  defineOperation('logOut', 'POST', '/auth/logout', {
    ...signedIn,
    summary: 'End this session',
    responses: { 200: jsonResponse(emptyResultResponse, 'The token is no longer valid.') },
  }),
  defineOperation('verifySession', 'POST', '/auth/verify', {
    ...signedIn,
    failureMessage: 'Token verification failed',
    summary: 'Get the user of this session',
    responses: { 200: jsonResponse(userResponse, 'The session is valid.') },
    errors: ['TOKEN_VERIFICATION_FAILED'],
  }),
  defineOperation('refreshSession', 'POST', '/auth/refresh', {
    ...signedIn,
    summary: 'Exchange the token for a new one',
    responses: { 200: jsonResponse(sessionResponse, 'A new token. The old one is no longer valid.') },
  }),
  defineOperation('listSessions', 'GET', '/auth/sessions', {
    ...signedIn,
    service: 'command',
    summary: 'List the sessions of this account',
    responses: { 200: jsonResponse(sessionListResponse, 'The last used session comes first.') },
  }),
  defineOperation('endSession', 'DELETE', '/auth/sessions/{id}', {
    ...signedIn,
    summary: 'End a session of this account',
    pathParameters: { id: sessionId },
    responses: { 200: jsonResponse(emptyResultResponse, 'The session has ended.') },
    errors: ['SESSION_NOT_FOUND'],
  }),
  defineOperation('endOtherSessions', 'DELETE', '/auth/sessions', {
    ...signedIn,
    summary: 'End all other sessions of this account',
    responses: { 200: jsonResponse(emptyResultResponse, 'Only this session is left.') },
  }),
  defineOperation('confirmSession', 'POST', '/auth/confirm', {
    ...signedIn,
    rateLimits: ['two-step'],
    summary: 'Enter the password again',
    description: 'Writes of admins need it every 30 minutes. With two-step sign-in, `code` is required.',
    body: jsonBody(fields.confirmSessionFields, { password: PASSWORD }),
    responses: { 200: jsonResponse(emptyResultResponse, 'The session is confirmed for 30 minutes.') },
    errors: ['WRONG_PASSWORD', 'TWO_STEP_CODE_WRONG'],
  }),
  defineOperation('issueLiveTicket', 'POST', '/auth/live-ticket', {
    ...signedIn,
    summary: 'Get a ticket for the live channel',
    responses: { 200: jsonResponse(liveTicketResponse, 'A ticket, valid once within a minute.') },
  }),
  defineOperation('verifyEmail', 'POST', '/auth/verify-email', {
    ...common,
    rateLimits: ['codes', 'code-guesses'],
    failureMessage: 'Verification failed',
    summary: 'Verify the e-mail address with the mailed code',
    description:
      'A code has 6 digits, is valid for 15 minutes and allows 5 attempts. ' +
      'It works in the session or browser that signed up, or after a login.',
    body: jsonBody(fields.verifyEmailFields, { email: EMAIL, code: CODE }),
    responses: { 200: jsonResponse(userResponse, 'The address is verified.', POSITION_HEADERS) },
    errors: ['NO_USER_EMAIL', 'VERIFICATION_FAILED'],
  }),
  defineOperation('resendVerification', 'POST', '/auth/resend-verification', {
    ...common,
    rateLimits: ['codes', 'code-mails'],
    failureMessage: 'Failed to resend verification code',
    summary: 'Request a new code by mail',
    description: 'Requires the session or browser that signed up. The response is the same for every address.',
    body: jsonBody(fields.forgotPasswordFields, { email: EMAIL }),
    responses: {
      200: jsonResponse(resendResponse, 'If the address has an unverified account, a code was sent.'),
    },
    errors: ['NO_USER_EMAIL', 'RESEND_TOO_SOON', 'CONFLICT'],
  }),
  defineOperation('changePassword', 'POST', '/auth/change-password', {
    ...signedIn,
    rateLimits: ['password-change'],
    summary: 'Change the password',
    description: 'Every other session of the account ends.',
    body: jsonBody(fields.changePasswordFields, { currentPassword: PASSWORD, newPassword: 'another horse battery' }),
    responses: { 200: PASSWORD_CHANGED },
    errors: ['WRONG_PASSWORD', 'VERIFICATION_REQUIRED'],
  }),
  defineOperation('forgotPassword', 'POST', '/auth/forgot-password', {
    ...common,
    rateLimits: ['codes', 'code-mails'],
    summary: 'Request a code by mail to reset the password',
    description: 'The response is the same for known and unknown addresses.',
    body: jsonBody(fields.forgotPasswordFields, { email: EMAIL }),
    responses: { 200: jsonResponse(emptyResultResponse, 'If the address has an account, a code was sent.') },
    errors: ['CONFLICT'],
  }),
  defineOperation('resetPassword', 'POST', '/auth/reset-password', {
    ...common,
    rateLimits: ['codes', 'code-guesses'],
    summary: 'Set a new password with the mailed code',
    description:
      'Every session ends, and the address becomes verified. The code works in the browser that requested it. ' +
      'An address that was never verified also needs `userType`, `displayName` and `age`.',
    body: jsonBody(fields.resetPasswordFields, { email: EMAIL, code: CODE, newPassword: PASSWORD }),
    responses: { 200: PASSWORD_CHANGED },
    errors: ['RESET_FAILED', 'PROFILE_REQUIRED', 'UNDER_AGE'],
  }),
  defineOperation('getTwoStep', 'GET', '/auth/two-step', {
    ...signedIn,
    service: 'command',
    summary: 'Get the two-step sign-in of this account and session',
    responses: { 200: jsonResponse(twoStepResponse, 'The current settings.') },
  }),
  defineOperation('setUpTwoStep', 'POST', '/auth/two-step/setup', {
    ...signedIn,
    rateLimits: ['two-step'],
    summary: 'Begin to set up two-step sign-in',
    description: 'A sign-in requires no code until one is confirmed, within 15 minutes.',
    body: jsonBody(fields.twoStepSetUpFields, { password: PASSWORD }),
    responses: { 200: jsonResponse(twoStepSetUpResponse, 'A secret for the authenticator app.', POSITION_HEADERS) },
    errors: ['WRONG_PASSWORD', 'VERIFICATION_REQUIRED', 'TWO_STEP_IS_ON'],
  }),
  defineOperation('confirmTwoStep', 'POST', '/auth/two-step/confirm', {
    ...signedIn,
    rateLimits: ['two-step'],
    summary: 'Switch two-step sign-in on with a code of the app',
    body: jsonBody(fields.twoStepConfirmFields, { code: CODE }),
    responses: {
      200: jsonResponse(
        recoveryCodesResponse,
        'Two-step sign-in is on. The recovery codes replace a lost app.',
        POSITION_HEADERS,
      ),
    },
    errors: ['TWO_STEP_CODE_WRONG', 'TWO_STEP_IS_ON', 'TWO_STEP_NOT_BEGUN'],
  }),
  defineOperation('disableTwoStep', 'POST', '/auth/two-step/disable', {
    ...signedIn,
    rateLimits: ['two-step'],
    summary: 'Switch two-step sign-in off',
    body: jsonBody(fields.twoStepDisableFields, { password: PASSWORD, code: CODE }),
    responses: { 200: jsonResponse(emptyResultResponse, 'Two-step sign-in is off.', POSITION_HEADERS) },
    errors: ['WRONG_PASSWORD', 'TWO_STEP_CODE_WRONG'],
  }),
  defineOperation('getProfile', 'GET', '/auth/profile', {
    ...signedIn,
    service: 'command',
    summary: 'Get the signed-in user',
    headers: ['If-None-Match'],
    responses: conditionalReadResponses(userResponse, 'The user.'),
  }),
  defineOperation('updateProfile', 'PUT', '/auth/profile', {
    ...signedIn,
    summary: 'Change the display name or the age',
    description: 'Absent fields keep their values.',
    body: jsonBody(fields.profileFields, { displayName: 'Anna B.', age: 31 }),
    responses: { 200: jsonResponse(userResponse, 'The updated user.', POSITION_HEADERS) },
    errors: ['UNDER_AGE'],
  }),
];
