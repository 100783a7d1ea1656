export const linkFormTexts = {
  title: 'Open your link',
  link: 'Link from the email',
  hint: "Paste the whole link. If you've just opened it, copy it from the address bar.",
  submit: 'Continue',
} as const
