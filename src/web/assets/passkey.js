;(() => {
  const api = window.PublicKeyCredential
  if (api?.parseCreationOptionsFromJSON === undefined) return

  /** Asks the browser for a new passkey, or for the signature of one. */
  function ask({ passkey, options }) {
    const named = JSON.parse(options)
    return passkey === 'create'
      ? navigator.credentials.create({ publicKey: api.parseCreationOptionsFromJSON(named) })
      : navigator.credentials.get({ publicKey: api.parseRequestOptionsFromJSON(named) })
  }

  for (const part of document.querySelectorAll('[data-passkey]')) {
    const button = part.querySelector('button')
    const status = part.querySelector('[role="status"]')
    part.hidden = false
    button.addEventListener('click', async () => {
      button.disabled = true
      status.textContent = ''
      try {
        const credential = await ask(part.dataset)
        part.querySelector('[name$="passkey"]').value = JSON.stringify(credential)
        part.closest('form').requestSubmit()
      } catch (error) {
        const { known, failed } = part.dataset
        status.textContent = error.name === 'InvalidStateError' ? known : failed
      }
      button.disabled = false
    })
  }
  for (const without of document.querySelectorAll('[data-without-passkeys]')) without.hidden = true
})()
