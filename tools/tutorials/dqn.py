"""Deep Q-learning with a replay memory, in a corridor with a prize at its end; and the policy gradient."""

import random
from collections import deque, namedtuple

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.distributions import Categorical

random.seed(0)
torch.manual_seed(0)
Transition = namedtuple("Transition", ("state", "action", "next_state", "reward"))
LENGTH, BATCH_SIZE, GAMMA, TAU = 5, 16, 0.9, 0.05


class Corridor:
    def reset(self):
        self.place = 0
        return self.observe()

    def observe(self):
        return F.one_hot(torch.tensor([self.place]), LENGTH).float()

    def step(self, action):
        self.place = max(0, self.place + (1 if action == 1 else -1))
        done = self.place == LENGTH - 1
        return self.observe(), 1.0 if done else -0.05, done


class DQN(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer1 = nn.Linear(LENGTH, 16)
        self.layer2 = nn.Linear(16, 2)

    def forward(self, x):
        return self.layer2(F.relu(self.layer1(x)))


env, memory = Corridor(), deque([], maxlen=500)
policy_net, target_net = DQN(), DQN()
target_net.load_state_dict(policy_net.state_dict())
optimizer = optim.AdamW(policy_net.parameters(), lr=1e-2, amsgrad=True)


def select_action(state, eps):
    if random.random() > eps:
        with torch.no_grad():
            return policy_net(state).max(1).indices.view(1, 1)
    return torch.tensor([[random.randrange(2)]], dtype=torch.long)


def optimize_model():
    if len(memory) < BATCH_SIZE:
        return None
    batch = Transition(*zip(*random.sample(memory, BATCH_SIZE)))
    non_final_mask = torch.tensor(tuple(s is not None for s in batch.next_state), dtype=torch.bool)
    non_final_next_states = torch.cat([s for s in batch.next_state if s is not None])
    state_batch, action_batch, reward_batch = torch.cat(batch.state), torch.cat(batch.action), torch.cat(batch.reward)
    state_action_values = policy_net(state_batch).gather(1, action_batch)
    next_state_values = torch.zeros(BATCH_SIZE)
    with torch.no_grad():
        next_state_values[non_final_mask] = target_net(non_final_next_states).max(1).values
    expected = (next_state_values * GAMMA) + reward_batch
    loss = nn.SmoothL1Loss()(state_action_values, expected.unsqueeze(1))
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_value_(policy_net.parameters(), 100)
    optimizer.step()
    return loss.item()


for episode in range(12):
    state, steps, loss = env.reset(), 0, None
    for _ in range(30):
        action = select_action(state, 0.9 * 0.8**episode)
        observation, reward, done = env.step(action.item())
        memory.append(Transition(state, action, None if done else observation, torch.tensor([reward])))
        state, steps, loss = observation, steps + 1, optimize_model()
        for key, value in policy_net.state_dict().items():
            target_net.state_dict()[key].mul_(1 - TAU).add_(value, alpha=TAU)
        if done:
            break
    print(episode, steps, loss)
print(policy_net(torch.eye(LENGTH)).argmax(1))

policy = nn.Sequential(nn.Linear(LENGTH, 2))
optimizer = optim.Adam(policy.parameters(), lr=0.1)
for episode in range(5):
    state, log_probs, rewards = env.reset(), [], []
    for _ in range(20):
        m = Categorical(logits=policy(state))
        action = m.sample()
        log_probs.append(m.log_prob(action))
        state, reward, done = env.step(action.item())
        rewards.append(reward)
        if done:
            break
    loss = -(torch.cat(log_probs) * sum(rewards)).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(episode, len(rewards), loss.item())
