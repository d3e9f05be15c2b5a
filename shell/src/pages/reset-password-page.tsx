import { Page } from '@alpenglow/ui';

export default function ResetPasswordPage() {
  return <Page narrow />;
}
