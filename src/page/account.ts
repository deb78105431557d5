import './app.css';
import { mount } from 'svelte';
import AccountPage from './view/AccountPage.svelte';

const target = document.querySelector('#app');
if (target === null) throw new Error('Invariant: account.html has #app');
mount(AccountPage, { target });
