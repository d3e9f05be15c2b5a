import { Page } from '@alpenglow/ui';

export default function ForgotPasswordPage() {
  return <Page narrow />;
}
