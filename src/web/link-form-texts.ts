export const linkFormTexts = {
  title: 'Open your link',
  link: 'Link from the email',
  hint: 'Paste the whole link. If you have just opened it, you can copy it from the address bar.',
  submit: 'Continue',
} as const
