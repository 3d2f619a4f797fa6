"""Proximal policy optimization on a pole that has to be kept upright, with several environments at once."""

import numpy as np

import torch
import torch.nn as nn
from torch.distributions import Categorical, Normal

torch.manual_seed(0)
NUM_ENVS, NUM_STEPS = 4, 32


class Pole:
    """A pole on a cart: four numbers, two actions."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)

    def reset(self):
        self.state = self.random.uniform(-0.05, 0.05, 4)
        return self.state.astype(np.float32)

    def step(self, action):
        x, v, angle, spin = self.state
        force = 10.0 if action == 1 else -10.0
        cos, sin = np.cos(angle), np.sin(angle)
        temp = (force + 0.05 * spin**2 * sin) / 1.1
        turn = (9.8 * sin - cos * temp) / (0.5 * (4 / 3 - 0.1 * cos**2 / 1.1))
        self.state = self.state + 0.02 * np.array([v, temp - 0.05 * turn * cos / 1.1, spin, turn])
        done = abs(self.state[0]) > 2.4 or abs(self.state[2]) > 0.2
        return (self.reset() if done else self.state.astype(np.float32)), 1.0, done


def layer_init(layer, std=2**0.5, bias_const=0.0):
    torch.nn.init.orthogonal_(layer.weight, std)
    torch.nn.init.constant_(layer.bias, bias_const)
    return layer


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.critic = nn.Sequential(layer_init(nn.Linear(4, 32)), nn.Tanh(), layer_init(nn.Linear(32, 1), std=1.0))
        self.actor = nn.Sequential(layer_init(nn.Linear(4, 32)), nn.Tanh(), layer_init(nn.Linear(32, 2), std=0.01))

    def get_action_and_value(self, x, action=None):
        probs = Categorical(logits=self.actor(x))
        if action is None:
            action = probs.sample()
        return action, probs.log_prob(action), probs.entropy(), self.critic(x)


envs = [Pole(k) for k in range(NUM_ENVS)]
agent = Agent()
optimizer = torch.optim.Adam(agent.parameters(), lr=2.5e-3, eps=1e-5)
next_obs, next_done = torch.tensor(np.stack([env.reset() for env in envs])), torch.zeros(NUM_ENVS)
for update in range(3):
    obs, actions = torch.zeros(NUM_STEPS, NUM_ENVS, 4), torch.zeros(NUM_STEPS, NUM_ENVS)
    logprobs, rewards, dones, values = torch.zeros(4, NUM_STEPS, NUM_ENVS)
    for step in range(NUM_STEPS):
        obs[step], dones[step] = next_obs, next_done
        with torch.no_grad():
            action, logprob, _, value = agent.get_action_and_value(next_obs)
        values[step], actions[step], logprobs[step] = value.flatten(), action, logprob
        new, reward, done = zip(*(env.step(a) for env, a in zip(envs, action.tolist())))
        rewards[step] = torch.tensor(reward)
        next_obs, next_done = torch.tensor(np.stack(new)), torch.tensor(done, dtype=torch.float)
    with torch.no_grad():
        next_value, advantages, last = agent.critic(next_obs).reshape(1, -1), torch.zeros_like(rewards), 0
        for t in reversed(range(NUM_STEPS)):
            alive = 1.0 - (next_done if t == NUM_STEPS - 1 else dones[t + 1])
            following = next_value if t == NUM_STEPS - 1 else values[t + 1]
            delta = rewards[t] + 0.99 * following * alive - values[t]
            advantages[t] = last = delta + 0.99 * 0.95 * alive * last
        returns = advantages + values
    b_obs, b_actions = obs.reshape(-1, 4), actions.reshape(-1)
    b_logprobs, b_advantages, b_returns = logprobs.reshape(-1), advantages.reshape(-1), returns.reshape(-1)
    clipfracs = []
    for _ in range(2):
        for mb in torch.randperm(NUM_ENVS * NUM_STEPS).split(32):
            _, newlogprob, entropy, newvalue = agent.get_action_and_value(b_obs[mb], b_actions.long()[mb])
            logratio = newlogprob - b_logprobs[mb]
            ratio = logratio.exp()
            with torch.no_grad():
                clipfracs.append(((ratio - 1.0).abs() > 0.2).float().mean().item())
            a = b_advantages[mb]
            a = (a - a.mean()) / (a.std() + 1e-8)
            pg_loss = torch.max(-a * ratio, -a * torch.clamp(ratio, 0.8, 1.2)).mean()
            v_loss = 0.5 * ((newvalue.view(-1) - b_returns[mb]) ** 2).mean()
            loss = pg_loss - 0.01 * entropy.mean() + v_loss * 0.5
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()
    variance = 1 - (b_returns - values.reshape(-1)).var() / b_returns.var()
    print(update, loss.item(), v_loss.item(), entropy.mean().item(), np.mean(clipfracs), variance.item(), dones.sum().item())
policy = Normal(torch.zeros(2), torch.ones(2))
print(
    policy.log_prob(policy.rsample()).sum().item(),
    torch.distributions.kl_divergence(policy, Normal(torch.ones(2), 2.0)).sum().item(),
)
